#!/usr/bin/python3
"""Checks libhandrail_torch: modules that PyTorch lowers to Handrail's backends give PyTorch's
results, and where they fail, in whatever process and interpreter, name the line that failed.

    check.py LIBRARY EXAMPLE HANDRAIL

Prints a line for each check and "N passed, N failed"; exits 1 where any failed.
"""

import io
import os
import re
import subprocess
import sys
import tempfile

import torch
from torch.jit.mobile import _load_for_lite_interpreter

import models

LIBRARY, EXAMPLE, HANDRAIL = (os.path.abspath(path) for path in sys.argv[1:4])
MODELS_FILE = os.path.abspath(models.__file__)

X = torch.rand(2, 4)
FITS = torch.rand(3)
UNFIT = torch.rand(5)

passed, failed = 0, 0


def check(title, is_right, found=""):
    global passed, failed
    if is_right:
        passed += 1
    else:
        failed += 1
    print(f"{'ok' if is_right else 'FAILED':<8}{title}")
    if not is_right:
        print("    " + str(found).replace("\n", "\n    "))


def lower(module, backend="reference"):
    return torch._C._jit_to_backend(backend, module, {"forward": ""})


def lower_parts(module, paths, backend="reference"):
    return torch._C._jit_to_backend_selective(module, lambda part: lower(part, backend), paths)


def places(text):
    """The lines of models.py that a text names, in order."""
    found = re.findall(r'File "([^"]*)", line (\d+)', text)
    return [int(line) for file, line in found if os.path.abspath(file) == MODELS_FILE]


def failure_of(model):
    try:
        model(X, UNFIT)
    except RuntimeError as error:
        return str(error)
    return "it did not fail"


def check_failure(title, model, marks):
    text = failure_of(model)
    wanted = [models.line_of(mark) for mark in marks]
    names_place = places(text)[-len(wanted) :] == wanted or places(text) == wanted
    # PyTorch's mobile runtime puts its own frames behind the message that the backend gave.
    names_place = names_place or sorted(places(text)) == sorted(wanted)
    check(title, names_place and "aten::add" in text, f"wanted lines {wanted} in\n{text}")


def saved_and_loaded(model):
    stream = io.BytesIO()
    torch.jit.save(model, stream)
    stream.seek(0)
    return torch.jit.load(stream)


def mobile(model, path):
    model._save_for_lite_interpreter(path, _save_mobile_debug_info=True)
    return _load_for_lite_interpreter(path)


def in_another_process(*arguments):
    done = subprocess.run(
        [sys.executable, __file__, LIBRARY, EXAMPLE, HANDRAIL, *arguments], capture_output=True, text=True
    )
    return done.stdout + done.stderr


def check_results():
    for module, inputs in [
        (models.Leaf(), (X, FITS)),
        (models.Outer(), (X, FITS)),
        (models.Network().eval(), (torch.rand(2, 3, 16, 16),)),
    ]:
        name = type(module).__name__
        scripted = torch.jit.script(module)
        with torch.no_grad():
            wanted = module(*inputs)
            lowered = lower(scripted)
            for title, model in [("", lowered), (", loaded", saved_and_loaded(lowered))]:
                found = model(*inputs)
                check(
                    f"results of {name}{title}",
                    torch.allclose(wanted, found, rtol=1e-4, atol=1e-5),
                    (wanted - found).abs().max(),
                )


def check_failures(folder):
    marks = ["calls: Outer", "calls: Inner", "fails: Leaf"]
    outer = torch.jit.script(models.Outer())
    for title, lowered in [
        ("the whole", lower(outer)),
        ("inner", lower_parts(outer, ["inner"])),
        ("inner.leaf", lower_parts(outer, ["inner.leaf"])),
        ("inner and other", lower_parts(outer, ["inner", "other"])),
    ]:
        check_failure(f"failure, {title} lowered", lowered, marks)
        check_failure(f"failure, {title} lowered, loaded", saved_and_loaded(lowered), marks)
        path = os.path.join(folder, "model.ptl")
        check_failure(f"failure, {title} lowered, mobile", mobile(lowered, path), marks)
        loaded = saved_and_loaded(lowered)
        check_failure(f"failure, {title} lowered, loaded, mobile", mobile(loaded, path), marks)

        # Lowered here, saved for mobile in a second process, failing in a third.
        torch.jit.save(lowered, os.path.join(folder, "model.pt"))
        in_another_process("save_for_mobile", os.path.join(folder, "model.pt"), path)
        text = in_another_process("fail", path)
        wanted = sorted(models.line_of(mark) for mark in marks)
        check(f"failure, {title} lowered, third process", sorted(places(text)) == wanted, text)
    check_failure("failure, demo", lower(torch.jit.script(models.Sums()), "demo"), ["fails: Sums"])


def check_lowered_by_handrail(folder):
    """PyTorch runs what `handrail lower` wrote, and its mobile runtime has the whole trace."""
    plain = os.path.join(folder, "plain.pt")
    torch.jit.save(torch.jit.script(models.Outer()), plain)
    wanted = torch.jit.load(plain)(X, FITS)
    for path in ["", "inner", "inner.leaf"]:
        selection = ["--backend", "reference"] + (["--module", path] if path else [])
        lowered, mobile_path = (os.path.join(folder, name) for name in ("own.pt", "own.ptl"))
        for out in (lowered, mobile_path):
            subprocess.run([HANDRAIL, "lower", plain, "-o", out, *selection], check=True)
        title = f"handrail lower, {path or 'the whole'}"
        found = torch.jit.load(lowered)(X, FITS)
        check(f"{title}: PyTorch's results", torch.allclose(wanted, found, rtol=1e-4, atol=1e-5))
        model = _load_for_lite_interpreter(mobile_path)
        check(f"{title}: mobile results", torch.allclose(wanted, model(X, FITS), 1e-4, 1e-5))
        text = failure_of(model)
        lines = [models.line_of(mark) for mark in ("calls: Outer", "calls: Inner", "fails: Leaf")]
        check(f"{title}: mobile failure", places(text) == lines, text)


def check_refusal():
    try:
        lower(torch.jit.script(models.Product()), "demo")
        check("demo refuses a product", False, "it did not")
    except RuntimeError as error:
        line = f"line {models.line_of('refused: Product')}"
        text = str(error)
        check("demo refuses a product", "aten::mul" in text and line in text, text)


def check_example():
    done = subprocess.run([sys.executable, EXAMPLE, LIBRARY], capture_output=True, text=True)
    traces = done.stdout.count("return torch.relu(y + bias)")
    check("the example", done.returncode == 0 and traces == 2, done.stdout + done.stderr)


def main():
    torch.ops.load_library(LIBRARY)
    if sys.argv[4:5] == ["save_for_mobile"]:
        mobile(torch.jit.load(sys.argv[5]), sys.argv[6])
        return
    if sys.argv[4:5] == ["fail"]:
        print(failure_of(_load_for_lite_interpreter(sys.argv[5])))
        return
    check_results()
    with tempfile.TemporaryDirectory() as folder:
        check_failures(folder)
        check_lowered_by_handrail(folder)
    check_refusal()
    check_example()
    print(f"\nplugin: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
