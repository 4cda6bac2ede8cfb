"""Inlined graphs: the operator nodes of a module archive, in order, with ranges and call stacks."""

import dataclasses
import os

from programs import ProgramError

# What PyTorch 1.13 saved and does not load: names that its lexer does not read, functions that it left
# out, a backend that is not there, an operator's older form. Handrail reads these or says why not.
NOT_LOADED_BY_PYTORCH = frozenset(
    (
        "vision_other/ssdlite320_whole",
        "text/quotes_in_file_name",
        "text/utf8_in_file",
        "upstream_backend/to_backend_not_available",
        "upstream_lite/call_stack_of_functions",
    )
)

TITLE = "graphs: operator nodes after loading and inlining, with source ranges and call stacks"


def applies(archive):
    return archive.pt is not None and os.path.exists(archive.pt)


def compare(archive, programs, outcome):
    probe = os.path.join(os.path.dirname(programs.probe), "peer_graph")
    asking = dataclasses.replace(programs, probe=probe)
    if archive.title in NOT_LOADED_BY_PYTORCH:
        compare_unloadable(archive, asking, outcome)
        return
    # Handrail's own texts parse back to equal graphs.
    built = os.path.dirname(os.path.dirname(programs.handrail))
    round_trip = os.path.join(built, "peer", "graph_round_trip")
    programs.run_program(round_trip, archive.pt, archive.method)
    expected = asking.ask_pytorch(archive.pt, [f"graph {archive.method}"])[0]["nodes"]
    lines = programs.json_lines(
        "graph", archive.pt, "--method", archive.method, "--inline", "--format=json"
    )
    compare_nodes(expected, operators(lines), outcome)


def compare_unloadable(archive, programs, outcome):
    try:
        programs.ask_pytorch(archive.pt, [f"graph {archive.method}"])
    except ProgramError:
        programs.run("graph", archive.pt, "--method", archive.method, "--inline", exits=(0, 3))
        outcome.equal += 1
    else:
        outcome.fail(archive.title, "  PyTorch loads it: take it off the list")


def operators(nodes):
    """(node, whether PyTorch's inliner passes over it) for the nodes that are compared.

    PyTorch keeps the body of a fork as a graph of its own, which its inliner does not enter. And it
    gives call stacks by way of outputs: nodes without outputs have none, nor has what is in their
    blocks.
    """
    above = []  # what encloses the node, outermost first: (is a fork, has no outputs)
    for node in nodes:
        del above[node["depth"] :]
        has_no_outputs = node["outputs"] == 0
        if not node["kind"].startswith("prim::") and not any(fork for fork, _ in above):
            yield node, has_no_outputs or any(missing for _, missing in above)
        above.append((node["kind"] == "prim::fork", has_no_outputs))


def compare_nodes(expected, actual, outcome):
    rows = 0
    for theirs, (ours, is_passed_over) in zip(expected, actual):
        if is_same(theirs, ours, is_passed_over):
            outcome.equal += 1
        else:
            outcome.fail(f"node {rows}", f"  PyTorch:  {theirs}\n  handrail: {ours}")
            if (theirs["kind"], theirs["overload"]) != (ours["kind"], ours["overload"]):
                return  # what follows is shifted
        rows += 1
    rows += sum(1 for _ in actual)
    if rows != len(expected):
        outcome.fail("end", f"  PyTorch:  {len(expected)} nodes\n  handrail: {rows} nodes")


def is_same(theirs, ours, is_passed_over):
    if theirs == ours:
        return True
    frames = iter(ours["stack"])
    return (
        is_passed_over
        and {**theirs, "stack": []} == {**ours, "stack": []}
        and all(frame in frames for frame in theirs["stack"])
    )
