#!/usr/bin/python3
"""Handrail's backends in PyTorch: a part of a model is lowered in one process, saved for mobile in a
second, and fails in a third, with the line of the model that failed.

    lower_and_fail.py libhandrail_torch.so
"""

import os
import subprocess
import sys
import tempfile

import torch
from torch import Tensor, nn


class Projection(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4, 3))

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        y = torch.matmul(x, self.weight)
        return torch.relu(y + bias)  # fails where the bias has another width


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.projection = Projection()

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        return self.projection(x, bias) * 2


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = Head()

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        return self.head(x, bias) + 1


def lower(path):
    """Gives `head` to the backend `reference`; the rest of the model stays TorchScript."""
    model = torch.jit.script(Model())

    def to_reference(module):
        return torch._C._jit_to_backend("reference", module, {"forward": ""})

    lowered = torch._C._jit_to_backend_selective(model, to_reference, ["head"])
    torch.jit.save(lowered, path)


def save_for_mobile(path, mobile_path):
    model = torch.jit.load(path)
    print("PyTorch's interpreter:")
    print(fail(model))
    model._save_for_lite_interpreter(mobile_path, _save_mobile_debug_info=True)


def run_mobile(mobile_path):
    from torch.jit.mobile import _load_for_lite_interpreter

    print("PyTorch's mobile runtime:")
    print(fail(_load_for_lite_interpreter(mobile_path)))


def fail(model):
    """What the user sees."""
    x = torch.ones(2, 4)
    print(f"  with a bias that fits: {model(x, torch.ones(3)).sum().item()}")
    try:
        model(x, torch.ones(5))
    except RuntimeError as error:
        return str(error)
    raise SystemExit("the model did not fail")


STEPS = {"lower": lower, "save_for_mobile": save_for_mobile, "run_mobile": run_mobile}


def main():
    library, *step = sys.argv[1:]
    if step:
        torch.ops.load_library(os.path.abspath(library))
        STEPS[step[0]](*step[1:])
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.pt")
        mobile_path = os.path.join(folder, "model.ptl")
        for step in (["lower", path], ["save_for_mobile", path, mobile_path], ["run_mobile", mobile_path]):
            subprocess.run([sys.executable, __file__, library, *step], check=True)


if __name__ == "__main__":
    main()
