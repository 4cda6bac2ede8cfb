"""Models that PyTorch lowers to Handrail's backends. The lines that fail are marked."""

import torch
from torch import Tensor, nn


class Leaf(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(4, 3))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        z = torch.matmul(x, self.weight)
        return torch.relu(z + y)  # fails: Leaf


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf = Leaf()

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        if x.size(0) > 1:
            x = x * 2
        return self.leaf(x, y) - 1  # calls: Inner


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.other = Leaf()

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.inner(x, y) + self.other(x, y)  # calls: Outer


class Sums(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y - x  # fails: Sums


class Product(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x * y  # refused: Product


class Network(nn.Module):
    """A small image classifier."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)
        )
        self.classifier = nn.Linear(8, 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.features(x).mean([2, 3]))


def line_of(mark):
    """The line of this file that carries the comment `# MARK`."""
    with open(__file__, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.rstrip().endswith("# " + mark):
                return number
    raise ValueError(f"no line is marked {mark}")
