"""The comparisons, one file each. A comparison has

    TITLE                            one line for the report
    def applies(archive) -> bool     whether the archive is one for it
    def compare(archive, programs, outcome)

and is listed here. One that is not about archives has `subjects(programs)` instead of `applies`: what
it compares, each with a title. compare() may raise ProgramError; that counts as a difference.
"""

from comparisons import (
    default_style,
    failures,
    graphs,
    kernels,
    lowered,
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
    "kernels": kernels,
    "mobile": mobile,
    "run": run,
    "lowered": lowered,
    "strip": strip,
}


def subjects(comparison, archives, programs):
    """What a comparison is to look at."""
    if hasattr(comparison, "subjects"):
        return comparison.subjects(programs)
    return [archive for archive in archives if comparison.applies(archive)]
