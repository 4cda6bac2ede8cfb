#!/usr/bin/python3
"""Compares handrail with PyTorch on archives of many models:

    compare.py HANDRAIL_BINARY BUILD_FOLDER [--only COMPARISON]... [--group GROUP]... [--quiet]

Prints a table for each comparison, the first differences of each archive, and a closing line
"N passed, N failed", which counts archives by comparison. Exits 1 where any failed.
"""

import argparse
import collections
import concurrent.futures
import os
import subprocess
import sys
import time

import archives
import comparisons
from outcome import Outcome
from programs import ProgramError, Programs

JOBS = 2


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("handrail")
    parser.add_argument("build_folder")
    parser.add_argument("--only", action="append", choices=sorted(comparisons.ALL))
    parser.add_argument("--group", action="append", choices=archives.GROUPS)
    parser.add_argument("--quiet", action="store_true", help="tables show only what differs")
    arguments = parser.parse_args()
    if not os.access(arguments.handrail, os.X_OK):
        parser.error(f"no program {arguments.handrail}")
    return arguments


def compare_one(name, archive, programs):
    """Runs in a process of its own."""
    outcome = Outcome()
    try:
        comparisons.ALL[name].compare(archive, programs, outcome)
    except (ProgramError, subprocess.TimeoutExpired, ValueError, KeyError) as error:
        outcome.fail(archive.title, f"  {type(error).__name__}: {error}")
    return outcome


def print_table(title, rows, quiet):
    print(f"\n{title}\n{'archive':<56}{'equal':>9}{'different':>11}")
    for archive, outcome in rows:
        if outcome.different or not quiet:
            print(f"{archive.title:<56}{outcome.equal:>9}{outcome.different:>11}")
        for text in outcome.shown:
            print("    " + text.replace("\n", "\n    "))
    equal = sum(outcome.equal for _, outcome in rows)
    different = sum(outcome.different for _, outcome in rows)
    print(f"{f'{len(rows)} archives':<56}{equal:>9}{different:>11}")
    notes = collections.Counter()
    for _, outcome in rows:
        notes.update(outcome.notes)
    for text, count in sorted(notes.items()):
        print(f"    {count} x {text}")


def main():
    arguments = parse_arguments()
    build = os.path.abspath(arguments.build_folder)
    libtorch = os.path.join(build, "libtorch")
    programs = Programs(
        probe=os.path.join(libtorch, "peer_probe"),
        backend=os.path.join(libtorch, "libhandrail_peer_backend.so"),
        handrail=os.path.abspath(arguments.handrail),
    )
    groups = arguments.group or archives.GROUPS
    models = os.path.join(build, "models")
    unmade = archives.make(models, groups, programs.backend, JOBS)
    for text in unmade:
        print(text)
    made = archives.listed(models, groups)

    passed, failed = 0, len(unmade)
    with concurrent.futures.ProcessPoolExecutor(JOBS) as pool:
        for name in arguments.only or comparisons.ALL:
            start = time.monotonic()
            comparison = comparisons.ALL[name]
            chosen = comparisons.subjects(comparison, made, programs)
            outcomes = pool.map(compare_one, [name] * len(chosen), chosen, [programs] * len(chosen))
            rows = list(zip(chosen, outcomes))
            print_table(comparison.TITLE, rows, arguments.quiet)
            print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr)
            failed += sum(1 for _, outcome in rows if outcome.different or not outcome.equal)
            passed += sum(1 for _, outcome in rows if outcome.equal and not outcome.different)
    print(f"\n{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
