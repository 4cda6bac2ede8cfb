"""The default style: PyTorch's trace with the name of the function that owns the handle, which
PyTorch does not know. Of lowered modules, what PyTorch wrote around the backend is left out."""

import records

TITLE = "every handle in the default style: PyTorch's trace, repaired"

UNKNOWN = "<unknown>"
GENERATED = "torch.jit.Lowered"  # functions that PyTorch wrote around a backend
WRAPPER = "__loweredModule__"


def applies(archive):
    return archive.path is not None and archive.loadable


def compare(archive, programs, outcome):
    owners = {}
    for function, handles in records.function_handles(archive.path):
        if not function.startswith(GENERATED):
            owners.update((handle, function.rsplit(".", 1)[-1]) for handle in handles)
    handles = records.all_handles(archive.path)
    answers = programs.ask_pytorch(archive.path, [f"trace {handle}" for handle in handles])
    expected = {answer["handle"]: answer["traceback"] for answer in answers}
    lines = programs.json_lines("dump", archive.path, "--handles", "--tracebacks", "--format=json")
    for line in lines:
        handle = line["handle"]
        if handle in owners and WRAPPER not in expected[handle]:
            repaired = repair(expected[handle], owners[handle])
            outcome.check(f"handle {handle}", repaired, line["traceback"])
        elif WRAPPER in line["hierarchy"]:
            outcome.fail(f"handle {handle}", f"  {line['hierarchy']}")
        else:
            node = line["node"]
            outcome.check(f"handle {handle}", node, line["hierarchy"][-len(node) :])


def repair(text, function):
    hierarchy, trace = text.split("\n", 1)
    hierarchy = hierarchy.replace(f"::{UNKNOWN}", f"::{function}", 1)
    return f"{hierarchy}\n{trace.replace(f', in {UNKNOWN}', f', in {function}', 1)}"
