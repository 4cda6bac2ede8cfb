"""Several handles at once, as interpreter frames and backends give them: known ones in arbitrary
combinations, and with an unknown one among them."""

import random

import records

TITLE = "several handles: what they add to an exception"

COMBINATIONS = 30
UNKNOWN = 999_999_999


def applies(archive):
    return archive.path is not None and archive.loadable


def combinations(archive):
    """The same for the same archive, innermost first."""
    handles = records.all_handles(archive.path)
    chance = random.Random(archive.title)
    chosen = [chance.choices(handles, k=chance.randint(2, 5)) for _ in range(COMBINATIONS)]
    chosen.append([handles[0], UNKNOWN, handles[-1]])
    chosen.append([handles[-1], -1])
    return chosen


def compare(archive, programs, outcome):
    chosen = [",".join(map(str, handles)) for handles in combinations(archive)]
    answers = programs.ask_pytorch(archive.path, [f"merge {handles}" for handles in chosen])
    # The last two have an unknown handle: exit code 1 says so.
    arguments = ("symbolize", "-m", archive.path, "--style=pytorch", "--format=json")
    lines = programs.json_lines(*arguments, "--", *chosen, exits=(1,))
    for handles, answer, line in zip(chosen, answers, lines, strict=True):
        outcome.check(f"handles {handles}", answer["text"], line["traceback"])
