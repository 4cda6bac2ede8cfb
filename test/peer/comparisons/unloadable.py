"""Archives that PyTorch writes and cannot load: handrail gives the trace of every handle, or says what
is missing. What is there agrees with the archive that PyTorch writes after a load of the .pt."""

import records

TITLE = "archives that PyTorch cannot load"

NO_RANGE = -1


def applies(archive):
    return archive.path is not None and not archive.loadable


def compare(archive, programs, outcome):
    lines = _dump(programs, archive.path)
    debug_map = records.debug_map(archive.path)
    for handle in records.all_handles(archive.path):
        line = lines.get(handle)
        if line is None:
            outcome.fail(f"handle {handle}", "  not in handrail's dump")
        elif not line["traceback"] and not line.get("unknown"):
            outcome.fail(f"handle {handle}", "  neither a trace nor a reason")
        else:
            outcome.equal += 1
    if archive.reloaded:
        _compare_with_reloaded(archive, programs, outcome, lines, debug_map)


def _dump(programs, path):
    lines = programs.json_lines(
        "dump", path, "--handles", "--tracebacks", "--style=pytorch", "--format=json", exits=(0, 1)
    )
    return {line["handle"]: line for line in lines}


def _compare_with_reloaded(archive, programs, outcome, lines, debug_map):
    """The instructions are the same in both archives, the handles are not."""
    here = records.function_handles(archive.path)
    there = records.function_handles(archive.reloaded)
    pairs = []
    for (_, ours), (_, theirs) in zip(here, there, strict=True):
        pairs += list(zip(ours, theirs, strict=True))
    answers = programs.ask_pytorch(archive.reloaded, [f"trace {theirs}" for _, theirs in pairs])
    for (ours, _), answer in zip(pairs, answers, strict=True):
        if debug_map[ours][0] == NO_RANGE:
            # The node's own frame is what is missing.
            outcome.check(f"handle {ours}", answer["hierarchy"], lines[ours]["hierarchy"])
        else:
            outcome.check(f"handle {ours}", answer["traceback"], lines[ours]["traceback"])
