"""A small sequence encoder, the model that the demo and the tests symbolize.

A sequence is a tensor of [length, width]. Each block squashes the sequence and adds it to itself;
the second block also halves its length. A sequence of odd length fails in that block's add: keeping
every other row rounds up, averaging pairs of rows rounds down.
"""

from typing import List

import torch
from torch import Tensor, nn


def squash(x: Tensor, limit: float) -> Tensor:
    if limit > 0.0:
        return limit * torch.tanh(x / limit)
    return x


class Projection(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.eye(width))

    def forward(self, x: Tensor) -> Tensor:
        return torch.matmul(x, self.weight)


class Block(nn.Module):
    def __init__(self, width: int, stride: int):
        super().__init__()
        self.stride = stride
        self.projection = Projection(width)

    def pool(self, x: Tensor) -> Tensor:
        rows: List[Tensor] = []
        for i in range(len(x) // self.stride):
            start = i * self.stride
            rows.append(torch.mean(x[start : start + self.stride], 0))
        return torch.stack(rows)

    def forward(self, x: Tensor) -> Tensor:
        kept = x[:: self.stride]
        update = self.pool(squash(self.projection(x), 2.5))
        return kept + update


class Encoder(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.first = Block(width, 1)
        self.second = Block(width, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        return self.second(x)
