"""The smallest models that show one thing each."""

import torch
from torch import Tensor, nn


class Double(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return 2 * x


class Inner(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y


class Shift(nn.Module):
    """To be lowered to a backend: fails in Inner where the shapes do not match."""

    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.inner(x, y) - 1


@torch.jit.interface
class Route(nn.Module):
    def run(self, x: Tensor) -> Tensor:
        pass


class Wide(nn.Module):
    def fill(self, x: Tensor) -> Tensor:
        return x + torch.ones([3, 3])

    def run(self, x: Tensor) -> Tensor:
        return self.fill(x)


class Router(nn.Module):
    """An interface call: its callee is known only when it runs."""

    route: Route

    def __init__(self):
        super().__init__()
        self.route = Wide()

    def forward(self, x: Tensor) -> Tensor:
        return self.route.run(x) * 2
