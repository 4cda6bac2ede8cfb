"""The data set r212k for sizes and speeds: 100 blocks of 100 leaves and a norm; 212,404 handles."""

import torch
from torch import Tensor, nn

from kit import Model, model

BLOCKS = 100
LEAVES = 100
WIDTH = 4  # the weights are of no interest


class Leaf(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu(self.linear(x))
        y = y * 2.0 + x
        return torch.sigmoid(y) - 0.5


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaves = nn.Sequential(*[Leaf() for _ in range(LEAVES)])
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.leaves(x)) + x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*[Block() for _ in range(BLOCKS)])

    def forward(self, x: Tensor) -> Tensor:
        return self.blocks(x)


@model
def r212k():
    return Model(torch.jit.script(Net()), runs=[(torch.rand(2, WIDTH),)])
