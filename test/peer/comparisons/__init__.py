"""The comparisons, one file each. A comparison has

    TITLE                            one line for the report
    def applies(archive) -> bool     whether the archive is one for it
    def compare(archive, programs, outcome)

and is listed here. compare() may raise ProgramError; that counts as a difference.
"""

from comparisons import (
    default_style,
    failures,
    graphs,
    maps,
    merged,
    mobile,
    run,
    strip,
    traces,
    unloadable,
)

ALL = {
    "traces": traces,
    "merged": merged,
    "failures": failures,
    "unloadable": unloadable,
    "default_style": default_style,
    "maps": maps,
    "graphs": graphs,
    "mobile": mobile,
    "run": run,
    "strip": strip,
}
