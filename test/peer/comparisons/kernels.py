"""Kernels: every operator on many random arguments, beside PyTorch's own."""

import os
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "kernels"))

import differences  # noqa: E402
import exceptions_of_kernels  # noqa: E402
from protocol import Runner, encode  # noqa: E402

TITLE = "kernels: results, element types, sizes, and what failing operators say"

CASES = 16  # for each operator
class Family:
    """The operators of one letter: what a row of the report counts."""

    def __init__(self, title, names):
        self.title = title
        self.names = names


def subjects(programs):
    runner = Runner(program_of(programs))
    families = {}
    for name in runner.names():
        if name in exceptions_of_kernels.NOT_COMPARED:
            continue
        families.setdefault(name.split("::")[1].lstrip("_")[0], []).append(name)
    runner.close()
    return [Family(f"operators in {letter}", names) for letter, names in sorted(families.items())]


def program_of(programs):
    built = os.path.dirname(os.path.dirname(programs.handrail))
    return os.path.join(built, "peer", "run_kernels")


def compare(family, programs, outcome):
    compare_operators(family.names, program_of(programs), outcome, CASES)


def compare_operators(names, program, outcome, cases):
    runner = Runner(program)
    for name in names:
        runner = compare_operator(name, runner, program, outcome, cases)
    runner.close()


def compare_operator(name, runner, program, outcome, cases):
    """Returns the runner to go on with: a new one where the old one ended."""
    # Loaded here: PyTorch is slow to load, and the other comparisons do without it.
    import python_cases
    import pytorch
    from inputs import Inputs

    makers = python_cases.arguments_of(name, pytorch.schema(name))
    if not makers:
        outcome.fail(name, "  no arguments are made for this operator")
    for i in range(cases if makers else 0):
        r = Inputs(zlib.crc32(name.encode()) + i)
        arguments = makers[i % len(makers)](r)
        counted = [len(arguments)] if name in ("aten::format", "aten::percentFormat") else []
        frame = encode(name, [*arguments, *counted])
        title = f"{name}({', '.join(differences.describe(each) for each in arguments)})"
        expected = pytorch.call(name, arguments)
        try:
            actual = runner.run(frame)
        except (RuntimeError, ValueError) as error:
            outcome.fail(title, f"  {error}")
            runner = Runner(program)
            continue
        difference = differences.difference(expected, actual)
        if difference and not exceptions_of_kernels.is_known(name, expected, actual):
            outcome.fail(title, f"  {difference}")
        else:
            outcome.equal += 1
    return runner
