"""Archives that PyTorch writes and cannot load, since a node has no source range: handrail gives the
trace of every handle, and says where the range is missing.

PyTorch's word comes from two archives that it can load: a copy in which these nodes have the null
range, which prints nothing, and the archive that PyTorch writes after a load of the .pt.
"""

import os
import tempfile
import zipfile

import records

TITLE = "archives that PyTorch cannot load"

NO_RANGE = -1
NULL_RANGE = 0  # the tag of the null range: the first that PyTorch gives out
REASON = "source range was not recorded"


def applies(archive):
    return archive.path is not None and not archive.loadable


def compare(archive, programs, outcome):
    debug_map = records.debug_map(archive.path)
    lines = _dump(programs, archive.path, "pytorch")
    repaired = _dump(programs, archive.path, "handrail")
    for handle in records.all_handles(archive.path):
        if handle not in lines or handle not in repaired:
            outcome.fail(f"handle {handle}", "  not in handrail's dump")
        elif debug_map[handle][0] == NO_RANGE and REASON not in repaired[handle]["traceback"]:
            outcome.fail(f"handle {handle}", "  does not say that its source range is missing")
        else:
            outcome.equal += 1
    if archive.reloaded:
        _compare_with_reloaded(archive, programs, outcome, lines)
        _compare_with_null_ranges(archive, programs, outcome, lines)


def _dump(programs, path, style):
    lines = programs.json_lines(
        "dump", path, "--handles", "--tracebacks", "--style", style, "--format=json", exits=(0, 1)
    )
    return {line["handle"]: line for line in lines}


def _compare_with_null_ranges(archive, programs, outcome, lines):
    handles = sorted(lines)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, os.path.basename(archive.path))
        _with_null_ranges(archive.path, path)
        answers = programs.ask_pytorch(path, [f"trace {handle}" for handle in handles])
    for handle, answer in zip(handles, answers, strict=True):
        outcome.check(f"handle {handle}", answer["traceback"], lines[handle]["traceback"])


def _with_null_ranges(source, target):
    name, rows = records.named_record(source, "callstack_debug_map.pkl")
    rows = tuple((row[0], NULL_RANGE if row[1] == NO_RANGE else row[1], *row[2:]) for row in rows)
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            data = records.pickled(rows) if info.filename == name else old.read(info.filename)
            new.writestr(info.filename, data)


def _compare_with_reloaded(archive, programs, outcome, lines):
    """The instructions are the same in both archives, the handles are not."""
    here = records.function_handles(archive.path)
    there = records.function_handles(archive.reloaded)
    pairs = []
    for (_, ours), (_, theirs) in zip(here, there, strict=True):
        pairs += list(zip(ours, theirs, strict=True))
    answers = programs.ask_pytorch(archive.reloaded, [f"trace {theirs}" for _, theirs in pairs])
    for (ours, _), answer in zip(pairs, answers, strict=True):
        title, line = f"handle {ours}", lines[ours]
        outcome.check(title, answer["hierarchy"], line["hierarchy"])
        # A load finds some ranges and loses others. The comparison above is of every trace.
        if answer["traceback"].count("<--- HERE") == line["traceback"].count("<--- HERE"):
            outcome.check(title, answer["traceback"], line["traceback"])
