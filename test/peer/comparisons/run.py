"""`handrail run` gives what PyTorch gives, from .pt and .ptl, and fails where it fails."""

import os
import tempfile

TITLE = "run: results of models (.pt and .ptl), and traces of failing inputs"

RELATIVE = 1e-4
OF_LARGEST = 1e-5
# The weights of large networks are all equal (vision_kit.py), so that what normalization layers are
# given has no variance but that of rounding.
NOISE = 1e-6
# Without bytecode: they fail, and say why.
NOT_RUN = frozenset(("language/fork_and_wait", "language/with_statements"))
# Lowered with PyTorch to a backend that Handrail does not have.
FOREIGN_BACKEND = b"LoweredModule.handrail_peer_backend."


def applies(archive):
    return bool(archive.runs or archive.fails)


def compare(archive, programs, outcome):
    import torch

    torch.set_num_threads(1)
    torch.ops.load_library(programs.backend)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        if is_lowered(archive.pt):
            _compare_unavailable(archive, programs, outcome, folder)
            outcome.equal += 0 if outcome.different else 1  # also where no input can be given
            return
        module, paths = load(archive)
        for inputs_path in archive.runs:
            inputs = inputs_of(archive, inputs_path)
            specs = specs_of(inputs, folder)
            if specs is None or module is None:
                continue
            if archive.title in NOT_RUN:
                said = programs.fail("run", archive.pt, *specs)
                outcome.check("no bytecode", True, "bytecode: no instruction for" in said)
                continue
            try:
                expected = flat(method_of(module, archive.method)(*inputs))
            except RuntimeError:  # runs before it is saved, and not afterwards
                for path in paths:
                    programs.fail("run", path, "--method", archive.method, *specs)
                continue
            for path in paths:
                compare_results(archive, path, specs, expected, programs, outcome, folder)
        for index, inputs_path in enumerate(archive.fails):
            specs = specs_of(torch.load(inputs_path), folder)
            if specs is not None:
                for path in paths:
                    _compare_failure(archive, path, index, specs, programs, outcome)
    if not outcome.equal and not outcome.different:
        outcome.equal += 1  # nothing that can be compared


def load(archive):
    """The module as PyTorch has it, and the files that Handrail runs."""
    import torch
    from torch.jit.mobile import _load_for_lite_interpreter

    mobile = archive.path if archive.path and archive.loadable else archive.reloaded
    try:
        return torch.jit.load(archive.pt), [path for path in (archive.pt, mobile) if path]
    except RuntimeError:  # some that PyTorch saves it cannot load
        if not mobile:
            return None, []
        return _load_for_lite_interpreter(mobile), [mobile]


def inputs_of(archive, path):
    """The inputs that the archive comes with; networks get random ones of their sizes."""
    import torch

    inputs = torch.load(path)
    if not archive.group.startswith("vision"):
        return inputs
    torch.manual_seed(7)
    return [torch.rand_like(value) if torch.is_tensor(value) else value for value in inputs]


def method_of(module, name):
    if hasattr(module, name):
        return getattr(module, name)
    return lambda *inputs: module.run_method(name, *inputs)


def is_lowered(path):
    with open(path, "rb") as file:
        return FOREIGN_BACKEND in file.read()


def specs_of(values, folder):
    """Options of `handrail run`; None where no SPEC describes a value."""
    import numpy
    import torch

    options = []
    for value in values:
        if isinstance(value, torch.Tensor):
            path = os.path.join(folder, f"in{len(os.listdir(folder))}.npy")
            numpy.save(path, value.numpy())
            spec = "@" + path
        elif isinstance(value, bool):
            spec = f"bool:{str(value).lower()}"
        elif isinstance(value, (int, float, str)):
            spec = f"{type(value).__name__}:{value}"
        elif value is None:
            spec = "none"
        else:
            return None
        options += ["--input", spec]
    return options


def flat(value):
    """Tensors and numbers, in order, as NumPy's arrays."""
    import numpy
    import torch

    if isinstance(value, torch.Tensor):
        return [value.numpy()]
    if isinstance(value, (bool, int, float, complex)):
        return [numpy.asarray(value)]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [array for element in value for array in flat(element)]
    return []


def compare_results(archive, path, specs, expected, programs, outcome, folder):
    import numpy

    if not expected:  # NumPy reads no archive without arrays
        programs.run("run", path, "--method", archive.method, *specs)
        outcome.equal += 1
        return
    output = os.path.join(folder, "out.npz")
    programs.run("run", path, "--method", archive.method, *specs, "--output", output)
    with numpy.load(output) as file:
        actual = [file[f"out_{index}"] for index in range(len(file.files))]
    suffix = os.path.splitext(path)[1]
    outcome.check(f"{suffix}: how many results", len(expected), len(actual))
    for index, (ours, theirs) in enumerate(zip(actual, expected)):
        what = f"{suffix}: result {index}"
        if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
            sorts = [f"{array.dtype}{array.shape}" for array in (theirs, ours)]
            outcome.fail(what, f"  PyTorch: {sorts[0]}, handrail: {sorts[1]}")
            continue
        sizes = numpy.abs(theirs.astype("f8"))
        largest = numpy.max(sizes, initial=0, where=numpy.isfinite(sizes))
        if numpy.allclose(ours, theirs, RELATIVE, OF_LARGEST * largest, equal_nan=True):
            outcome.equal += 1
        elif archive.group.startswith("vision") and largest < NOISE:
            outcome.note("results that are rounding noise alone: a large network, all weights equal")
            outcome.equal += 1
        else:
            error = numpy.nanmax(numpy.abs(ours.astype("f8") - theirs.astype("f8")))
            outcome.fail(what, f"  differs by {error:g}, the largest is {largest:g}")


def _compare_failure(archive, path, index, specs, programs, outcome):
    """The trace is PyTorch's text; a model that raises has one all the same."""
    if archive.path is None or not archive.loadable:
        return
    (answer,) = programs.ask_pytorch(archive.path, [f"run {archive.method} {archive.fails[index]}"])
    if "INTERNAL ASSERT FAILED" in answer["error"]:
        return  # a fault of PyTorch's, not of the model
    said = programs.fail("run", path, "--method", archive.method, *specs, "--style=pytorch")
    what = f"{os.path.splitext(path)[1]}: trace of failing input {index}"
    begin = said.find("Module hierarchy:")
    trace = said[begin:] if begin >= 0 else ""
    if not answer["text"]:
        outcome.check(what + ", which PyTorch has not", True, bool(trace))
    elif path == archive.pt and "frozen" in archive.name:
        # Freezing inlines, and the calls are not in the code that is saved.
        outcome.check(what, _last_place(answer["text"]), _last_place(trace))
    else:
        outcome.check(what, answer["text"], trace)


def _last_place(trace):
    """The innermost frame, without its function."""
    frame = trace[trace.rfind("\n  File ") + 1 :] if "\n  File " in trace else trace
    head, *rest = frame.split("\n")
    return "\n".join([head.split(", in ")[0], *rest]) if "File" in head else "\n".join(rest)


def _compare_unavailable(archive, programs, outcome, folder):
    import torch

    for inputs_path in archive.runs[:1]:
        specs = specs_of(torch.load(inputs_path), folder)
        if specs is None:
            continue
        for path in filter(None, (archive.pt, archive.path)):
            said = programs.fail("run", path, "--method", archive.method, *specs)
            if "Backend is not available." in said and "Module hierarchy:" in said:
                outcome.equal += 1
            else:
                outcome.fail(os.path.splitext(path)[1], f"  {said!r}")
