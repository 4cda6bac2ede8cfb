#!/usr/bin/python3
"""The models that run_table.py measures:  run_models.py FOLDER

Each runs a chain of one kind of operator many times in one call, so that what it takes is the
interpreter and the operators, not the call.
"""

import os
import sys
from typing import List

import torch

ROUNDS = 20_000


class Scalars(torch.nn.Module):
    """Integers: seven instructions of operands and jumps for three operators."""

    def forward(self, n: int) -> int:
        x = 1
        for i in range(n):
            x = (x * 3 + i) % 1000003
        return x


class Branches(torch.nn.Module):
    def forward(self, n: int) -> int:
        x = 0
        for i in range(n):
            if x > 10:
                x = x - i
            else:
                x = x + 2
        return x


class Lists(torch.nn.Module):
    """Lists whose type has a long name."""

    def forward(self, n: int) -> int:
        x = 0
        for i in range(n):
            pair: List[int] = [x, i]
            x = pair[0] + 1
        return x


class TinyTensors(torch.nn.Module):
    """Tensors of four elements."""

    def forward(self, n: int):
        x = torch.zeros([4])
        one = torch.ones([4])
        for i in range(n):
            x = torch.relu(x * one + one)
        return x


class Tensors(torch.nn.Module):
    """Tensors of 64 x 64 elements."""

    def forward(self, n: int):
        x = torch.zeros([64, 64])
        one = torch.ones([64, 64])
        for i in range(n):
            x = torch.relu(x * one + one)
        return x


MODELS = [Scalars, Branches, Lists, TinyTensors, Tensors]


def main():
    for model in MODELS:
        path = os.path.join(sys.argv[1], model.__name__ + ".ptl")
        torch.jit.script(model())._save_for_lite_interpreter(path, _save_mobile_debug_info=True)


if __name__ == "__main__":
    main()
