"""Models lowered whole to the backend `reference` give PyTorch's results, from .pt and from .ptl, and
where they fail, the trace is that of the model that was not lowered."""

import os
import subprocess
import tempfile

from comparisons import run
from programs import ProgramError

TITLE = "lowered to reference: results, and traces of failing inputs"

# What `lower` refuses, and what it says: at all, or for the mobile runtime.
REFUSED = {
    "language/classes": "the mobile runtime has no classes of Python code",
    "language/enums": "the mobile runtime has no enums",
    "language/hooks": "it has hooks, which a lowered module would lose",
    "language/interface_in_interface": "through an interface",
    "language/interfaces": "through an interface",
    "upstream_lite/call_stack_of_functions": "undefined name 'c'",
    "upstream_lite/duplicate_set_state": "which sets its own state",
    "upstream_lite/set_state": "it sets its own state",
    "text/quotes_in_file_name": "expected ',' or ')'",
}


def applies(archive):
    has_inputs = bool(archive.runs or archive.fails)
    return has_inputs and archive.method == "forward" and archive.title not in run.NOT_RUN


def compare(archive, programs, outcome):
    import torch

    torch.set_num_threads(1)
    if run.is_lowered(archive.pt):
        outcome.note("lowered by PyTorch already")
        outcome.equal += 1
        return
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        lowered = []
        for path in (os.path.join(folder, name) for name in ("lowered.pt", "lowered.ptl")):
            try:
                programs.run("lower", archive.pt, "-o", path, "--backend", "reference")
                lowered.append(path)
            except ProgramError as error:
                reason = REFUSED.get(archive.title, "no reason: it must not be refused")
                outcome.check(f"refusal: {error}", True, reason in str(error))
                outcome.note(f"refused: {reason}")
        if not lowered:
            return
        _compare_results(archive, lowered, programs, outcome, folder)
        _compare_failures(archive, lowered, programs, outcome, folder)
    if not outcome.equal and not outcome.different:
        outcome.note("no input that can be given")
        outcome.equal += 1


def _compare_results(archive, lowered, programs, outcome, folder):
    module, _ = run.load(archive)
    for path in archive.runs:
        inputs = run.inputs_of(archive, path)
        specs = run.specs_of(inputs, folder)
        if specs is None or module is None:
            continue
        try:
            expected = run.flat(run.method_of(module, archive.method)(*inputs))
        except RuntimeError:  # runs before it is saved, and not afterwards
            continue
        for path in lowered:
            run.compare_results(archive, path, _all(specs, module), expected, programs, outcome, folder)


def _compare_failures(archive, lowered, programs, outcome, folder):
    import torch

    module, _ = run.load(archive)
    for index, path in enumerate(archive.fails):
        specs = run.specs_of(torch.load(path), folder)
        if specs is None:
            continue
        expected = _said(archive.pt, archive, specs, programs)
        for path in lowered:
            what = f"{os.path.splitext(path)[1]}: failing input {index}"
            outcome.check(what, expected, _said(path, archive, _all(specs, module), programs))


def _said(path, archive, specs, programs):
    """The exit code and what stderr says: some inputs are too much for PyTorch alone."""
    command = [programs.handrail, "run", path, "--method", archive.method, *specs]
    done = subprocess.run(command, capture_output=True, check=False)
    lines = done.stderr.decode(errors="replace").replace(path, "model").splitlines(True)
    # A blob's operators without a kernel are not known before it runs.
    return f"exit {done.returncode}\n" + "".join(
        line for line in lines if "warning: no kernel for" not in line
    )


def _all(specs, module):
    """With the defaults of what is left out: a lowered method has none, like PyTorch's."""
    import torch

    if not isinstance(module, torch.jit.ScriptModule):  # PyTorch loads the mobile archive alone
        return specs
    arguments = module._c._get_method("forward").schema.arguments[1 + len(specs) // 2 :]
    for argument in arguments:
        value = argument.default_value
        specs = [*specs, "--input", "none" if value is None else f"{type(value).__name__}:{value}"]
    return specs
