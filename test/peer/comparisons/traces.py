"""The trace and the module hierarchy of every handle of every archive that PyTorch can load."""

import records

TITLE = "every handle: getCallStack and getModuleHierarchy"


def applies(archive):
    return archive.path is not None and archive.loadable


def compare(archive, programs, outcome):
    handles = records.all_handles(archive.path)
    answers = programs.ask_pytorch(archive.path, [f"trace {handle}" for handle in handles])
    expected = {answer["handle"]: answer for answer in answers}
    seen = set()
    lines = programs.json_lines(
        "dump", archive.path, "--handles", "--tracebacks", "--style=pytorch", "--format=json"
    )
    for line in lines:
        handle = line["handle"]
        if handle not in expected:
            outcome.fail(f"handle {handle}", "  not in the archive's records")
            continue
        seen.add(handle)
        outcome.check(f"handle {handle}", _of_pytorch(expected[handle]), _of_handrail(line))
    for handle in sorted(set(expected) - seen):
        outcome.fail(f"handle {handle}", "  not in handrail's dump")


def _of_pytorch(answer):
    return f"{answer['hierarchy']}\n{answer['traceback']}"


def _of_handrail(line):
    return f"{line['hierarchy']}\n{line['traceback']}"
