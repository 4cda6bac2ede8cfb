"""Modules that were frozen, traced, or both, and what a save and a load make of them."""

import torch
from torch import Tensor, nn

from kit import Model, model, reload

X = torch.rand(2, 3)
UNFIT = torch.rand(2, 5)


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(torch.relu(self.linear(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(Part(), Part())
        self.last = nn.Linear(3, 2)
        self.scale = 2.0

    def forward(self, x: Tensor) -> Tensor:
        y = self.parts(x)
        if y.size(0) > 1:
            y = y * self.scale
        return self.last(y) + 1


def failing(module):
    return Model(module, runs=[(X,)], fails=[(UNFIT,)])


def scripted():
    return torch.jit.script(Net().eval())


@model
def frozen():
    return failing(torch.jit.freeze(scripted()))


@model
def frozen_reloaded():
    return failing(reload(torch.jit.freeze(scripted())))


@model
def frozen_keeping_attributes():
    return failing(torch.jit.freeze(scripted(), preserved_attrs=["scale"]))


@model
def frozen_without_optimizing():
    return failing(torch.jit.freeze(scripted(), optimize_numerics=False))


@model
def optimized_for_inference():
    return failing(torch.jit.optimize_for_inference(scripted()))


@model
def script_reloaded():
    return failing(reload(scripted()))


@model
def script_reloaded_twice():
    return failing(reload(reload(scripted())))


@model
def traced():
    return failing(torch.jit.trace(Net().eval(), (X,)))


@model
def traced_reloaded():
    return failing(reload(torch.jit.trace(Net().eval(), (X,))))


@model
def traced_frozen():
    return failing(torch.jit.freeze(torch.jit.trace(Net().eval(), (X,))))


def traced_function(x, y):
    for _ in range(3):
        x = x * 2 + y
    return torch.cat([x, y])


class CallsTraced(nn.Module):
    def __init__(self):
        super().__init__()
        self.traced = torch.jit.trace(traced_function, (X, X))
        self.part = torch.jit.trace(Part().eval(), (X,))

    def forward(self, x: Tensor) -> Tensor:
        return self.traced(self.part(x), x) - 1


@model
def script_calls_traced():
    return failing(torch.jit.script(CallsTraced()))


class Loops(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        for i in range(x.size(0)):
            x = x + i
        return x


class CallsScripted(nn.Module):
    def __init__(self):
        super().__init__()
        self.loops = torch.jit.script(Loops())
        self.last = nn.Linear(3, 2)

    def forward(self, x):
        return self.last(self.loops(x))


@model
def traced_calls_script():
    return failing(torch.jit.trace(CallsScripted(), (X,)))


class ManyMethods(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part().eval()

    def forward(self, x):
        return self.part(x) + 1

    def twice(self, x):
        return self.part(self.part(x)) * 2


@model
def traced_methods():
    return failing(torch.jit.trace_module(ManyMethods().eval(), {"forward": X, "twice": X}))


class A(nn.Module):
    def forward(self, x, y):
        return x * y


class B(nn.Module):
    def __init__(self):
        super().__init__()
        self.A0 = A()
        self.A1 = A()

    def forward(self, x, y, z):
        return self.A0(x, y) + self.A1(y, z)


@model
def debug_info_with_trace():
    module = torch.jit.trace(B(), (X, X, X))
    return Model(module, runs=[(X, X, X)], fails=[(X, X, UNFIT)])


@model
def debug_info_with_script():
    return Model(torch.jit.script(B()), runs=[(X, X, X)], fails=[(X, X, UNFIT)])
