"""Archives without their debug info: PyTorch loads what `strip` writes, it runs the same inputs, and a
failure's text, with nothing but handles in it, becomes the whole archive's trace with the debug map.

Handles that PyTorch prints without a separator between them may be several lists of handles: then the
filter names all of them, the right one included, and gives no trace."""

import json
import os
import tempfile
import zipfile

TITLE = "stripped archives: PyTorch runs them, and logs lead back to the whole trace"

DEBUG_RECORDS = (".debug_pkl", "/callstack_debug_map.pkl")


def applies(archive):
    return archive.path is not None and archive.loadable and bool(archive.runs or archive.fails)


def compare(archive, programs, outcome):
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "stripped.ptl")
        debug_map = os.path.join(folder, "stripped.hdm")
        programs.run("strip", archive.path, "-o", stripped, "--debug-map", debug_map)
        outcome.check("records", _kept_records(archive.path), _records(stripped))
        saved = os.path.getsize(archive.path) - os.path.getsize(stripped)
        outcome.check("at least the debug records saved", True, saved >= _debug_bytes(archive.path))
        inputs = archive.runs + archive.fails
        commands = [f"run {archive.method} {path}" for path in inputs]
        answers = zip(
            inputs,
            programs.ask_pytorch(archive.path, commands),
            programs.ask_pytorch(stripped, commands),
            strict=True,
        )
        for path, whole, bare in answers:
            if path in archive.runs:
                outcome.check(f"run {os.path.basename(path)}", whole, bare)
            else:
                _compare_failure(debug_map, programs, outcome, whole, bare)


def _records(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _kept_records(path):
    records = _records(path)
    return {name: records[name] for name in records if not name.endswith(DEBUG_RECORDS)}


def _debug_bytes(path):
    with zipfile.ZipFile(path) as archive:
        return sum(
            entry.compress_size
            for entry in archive.infolist()
            if entry.filename.endswith(DEBUG_RECORDS)
        )


def _compare_failure(debug_map, programs, outcome, whole, bare):
    if not whole["text"]:
        outcome.check("a failure without handles", whole["error"], bare["error"])
        return
    symbolize = ("symbolize", "-m", debug_map, "--style=pytorch")
    handles = ",".join(map(str, bare["handles"]))
    outcome.check("handles", whole["handles"], bare["handles"])
    bare_list = programs.run(*symbolize, "--", handles, exits=(0, 1)).decode()
    if not whole["text"].endswith("\n"):  # PyTorch's text for what it does not find
        bare_list = bare_list.removesuffix("\n")
    outcome.check(f"list {handles}", whole["text"], bare_list)

    log = f"12:00:01 E model: {bare['error']}\n12:00:02 I next\n".encode()
    filtered = programs.run(*symbolize, stdin=log, exits=(0, 1)).decode()
    if whole["text"] in filtered:
        outcome.equal += 1
        return
    lines = programs.run(*symbolize, "--format=json", stdin=log, exits=(0, 1)).splitlines()
    candidates = [way for line in lines for way in json.loads(line).get("candidates", [])]
    if bare["handles"] in candidates and len(candidates) > 1:
        outcome.note("handles printed without a separator that can be read in several ways")
        outcome.equal += 1
    else:
        outcome.fail("log", f"{bare['error']}\n---- gives\n{filtered}")
