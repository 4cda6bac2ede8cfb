"""Mobile archives: what `handrail lower` makes of a .pt, PyTorch's mobile runtime loads, and runs
as it runs its own archive of the same model: the same outputs bit for bit, the same exceptions.

Where PyTorch pastes optimized graphs of what is called, instructions differ: how many functions
have PyTorch's own instructions, operators, constants and types is counted."""

import dataclasses
import io
import os
import pickle
import subprocess
import tempfile
import zipfile

from programs import ProgramError

TITLE = "mobile archives: outputs, exceptions and bytecode of what handrail lowers"

# What `lower` refuses, and which place it names: what PyTorch's mobile runtime cannot do, and
# modules that PyTorch saved and cannot load itself.
REFUSED = {
    "language/classes": "language.py:",
    "language/enums": "language.Enums.forward",
    "language/fork_and_wait": "language.py:",
    "language/with_statements": "language.Contexts.forward",
    "vision_other/ssdlite320_whole": "transform.py:145",
    # PyTorch's archive lacks a function that its code calls.
    "upstream_lite/call_stack_of_functions": "upstream_lite.py:8",
    "text/quotes_in_file_name": "line_3.py:6",
}

# What PyTorch says of a handle in a blob that was lowered in a process that ended.
NOT_FOUND = "Debug info for handle(s): debug_handles:{"


def applies(archive):
    return archive.pt is not None and os.path.exists(archive.pt)


def compare(archive, programs, outcome):
    with tempfile.TemporaryDirectory() as folder:
        lowered = os.path.join(folder, "lowered.ptl")
        if archive.title in REFUSED:
            _compare_refusal(archive, programs, lowered, outcome)
            return
        programs.run("lower", archive.pt, "-o", lowered)
        theirs = archive.path if archive.loadable else archive.reloaded
        if theirs is None:
            outcome.note("no mobile archive of PyTorch's to compare with")
            outcome.equal += 1
            return
        saved = _saved_by_pytorch(archive, folder, programs)
        _compare_runs(archive, (theirs, saved), lowered, programs, outcome)
        if saved:
            _count_functions(saved, lowered, outcome)


def _compare_refusal(archive, programs, lowered, outcome):
    done = subprocess.run(
        [programs.handrail, "lower", archive.pt, "-o", lowered], capture_output=True, check=False
    )
    said = done.stderr.decode(errors="replace")
    place = REFUSED[archive.title]
    if done.returncode == 3 and place in said and not os.path.exists(lowered):
        outcome.note("refused with the line, as PyTorch's mobile runtime cannot run it")
        outcome.equal += 1
    else:
        outcome.fail("refusal", f"  needs exit 3 and '{place}', has {done.returncode}: {said}")


def _saved_by_pytorch(archive, folder, programs):
    """What PyTorch makes of the same .pt, which knows less than a frozen or lowered module did."""
    peer = os.path.join(os.path.dirname(programs.probe), "peer_graph")
    saved = os.path.join(folder, "saved.ptl")
    try:
        dataclasses.replace(programs, probe=peer).probe_lines(archive.pt, [f"mobile {saved}"])
    except ProgramError:
        return None
    return saved


def _compare_runs(archive, theirs, lowered, programs, outcome):
    inputs = (*archive.runs, *archive.fails)
    commands = [f"run {archive.method} {path}" for path in inputs]
    own, saved = theirs
    expected = programs.ask_pytorch(own, commands)
    actual = programs.ask_pytorch(lowered, commands)
    outcome.equal += not inputs  # it was loaded
    for path, their_answer, our_answer in zip(inputs, expected, actual, strict=True):
        title = os.path.basename(path)
        if "error" not in their_answer or "error" not in our_answer:
            outcome.check(title, their_answer, our_answer)
        elif their_answer["error"] == our_answer["error"]:
            outcome.equal += 1
        else:
            command = f"run {archive.method} {path}"
            if saved:
                their_answer = programs.ask_pytorch(saved, [command])[0]
            _compare_with_saved(title, their_answer, our_answer, outcome)


def _compare_with_saved(title, their_answer, our_answer, outcome):
    theirs, ours = their_answer.get("error", ""), our_answer["error"]
    if theirs == ours:
        outcome.note("failures that PyTorch's own archive of the .pt traces no further, either")
        outcome.equal += 1
    elif NOT_FOUND in ours and theirs.split("\n")[0] == ours.split("\n")[0]:
        outcome.note("failures in blobs that no record of the .pt explains")
        outcome.equal += 1
    else:
        outcome.check(title, theirs, ours)


class _Record(pickle.Unpickler):
    """Reads bytecode.pkl; what it calls becomes a tuple of the call's parts."""

    def find_class(self, module, name):
        return lambda *arguments: (f"{module}.{name}", *arguments)

    def persistent_load(self, pid):
        # Keys of storages follow other rules.
        return ("storage", pid[1](), pid[3:])


def _functions(path):
    with zipfile.ZipFile(path) as file:
        folder = file.namelist()[0].split("/")[0]
        record = _Record(io.BytesIO(file.read(f"{folder}/bytecode.pkl"))).load()
    return {name: _resolved(*parts) for name, *parts in record[1:]}


def _resolved(code, *schema):
    """A function with constants where instructions name them: their order means nothing."""
    rows = dict(code)
    constants = rows.pop("constants")
    named = ("LOADC", "INTERFACE_CALL")
    rows["instructions"] = [
        (opcode, repr(constants[x]) if opcode in named else x, n)
        for opcode, x, n in rows["instructions"]
    ]
    return rows, schema


def _count_functions(saved, lowered, outcome):
    expected, actual = _functions(saved), _functions(lowered)
    for name, function in expected.items():
        if name not in actual:
            outcome.fail("functions", f"  lacks {name}")
        elif function == actual[name]:
            outcome.note("functions with PyTorch's own instructions")
        else:
            outcome.note("functions with other instructions than PyTorch's optimizer left")
