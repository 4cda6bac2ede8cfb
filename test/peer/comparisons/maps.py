"""The debug map of an archive: PyTorch's trace of every handle, the same bytes each time, small."""

import os
import tempfile

import records

TITLE = "debug maps: every handle's trace, determinism, size without sources"

# (more handles than, bytes per handle at most) for torchvision's networks
LIMITS = [(10_000, 1.5), (2_000, 2.5)]
LIMIT_OF_R212K = 1.25


def applies(archive):
    return archive.path is not None and archive.loadable


def compare(archive, programs, outcome):
    handles = records.all_handles(archive.path)
    answers = programs.ask_pytorch(archive.path, [f"trace {handle}" for handle in handles])
    expected = {answer["handle"]: answer["traceback"] for answer in answers}
    with tempfile.TemporaryDirectory() as folder:
        first, again, small = (os.path.join(folder, name) for name in ("a.hdm", "b.hdm", "c.hdm"))
        programs.run("map", archive.path, "-o", first)
        programs.run("map", archive.path, "-o", again)
        programs.run("map", archive.path, "--no-source", "-o", small)
        with open(first, "rb") as one, open(again, "rb") as two:
            if one.read() != two.read():
                outcome.fail(archive.title, "  two maps of it differ")
        lines = programs.json_lines(
            "dump", first, "--handles", "--tracebacks", "--style=pytorch", "--format=json"
        )
        for line in lines:
            handle = line["handle"]
            outcome.check(f"handle {handle}", expected.pop(handle, None), line["traceback"])
        for handle in expected:
            outcome.fail(f"handle {handle}", "  not in the map")
        _check_size(archive, len(handles), os.path.getsize(small), outcome)


def _check_size(archive, handles, size, outcome):
    limit = _limit(archive, handles)
    if limit and size > limit * handles:
        outcome.fail(archive.title, f"  {size / handles:.3f} bytes per handle, limit {limit}")


def _limit(archive, handles):
    if archive.name == "r212k":
        return LIMIT_OF_R212K
    if archive.group.startswith("vision"):
        for least, limit in LIMITS:
            if handles > least:
                return limit
    return None
