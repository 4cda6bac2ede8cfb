"""Modules lowered to a backend, whole and in part, and what may surround them."""

from typing import List, Tuple

import torch
from torch import Tensor, nn

from kit import Model, lower, lower_parts, model, reload

X = torch.rand(2, 3)
UNFIT = torch.rand(2, 5)


class Leaf(nn.Module):
    def __init__(self, width: int = 3):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width, 3))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(torch.matmul(x, self.weight)) + 1


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Leaf()
        self.second = Leaf()

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.first(x)) * 2


class Sums(nn.Module):
    def __init__(self):
        super().__init__()
        self.offset = nn.Parameter(torch.ones(3))

    def forward(self, x: Tensor) -> Tensor:
        return x + 1 - self.offset


class AddSub(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y - x


class Wide(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([x, x], 1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stack = Stack()
        self.leaves = nn.ModuleList([Leaf(), Leaf()])
        self.sums = AddSub()

    def forward(self, x: Tensor, n: int) -> Tensor:
        x = self.stack(x)
        for leaf in self.leaves:
            x = leaf(x)
        for _ in range(n):
            if x.sum() > 0:
                x = self.sums(x, x[:, 0:n])
        return x


FAILS = [(UNFIT, 1), (X, 2)]


def net():
    return torch.jit.script(Net())


@model
def whole_with_parameters():
    return Model(lower(torch.jit.script(Stack())), runs=[(X,)], fails=[(UNFIT,)])


@model
def submodule():
    return Model(lower_parts(net(), ["stack"]), runs=[(X, 0)], fails=FAILS)


@model
def submodule_of_submodule():
    class Distinct(nn.Module):
        def __init__(self):
            super().__init__()
            self.stack = StackOfTwo()

        def forward(self, x: Tensor) -> Tensor:
            return self.stack(x) - 1

    return Model(lower_parts(torch.jit.script(Distinct()), ["stack.leaf"]), fails=[(UNFIT,)])


class StackOfTwo(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf = Leaf()
        self.sums = Sums()

    def forward(self, x: Tensor) -> Tensor:
        return self.sums(self.leaf(x))


@model
def several_submodules():
    return Model(lower_parts(net(), ["stack", "sums"]), runs=[(X, 0)], fails=FAILS)


@model
def several_backends():
    sums = lower(torch.jit.script(Sums()), backend="handrail_peer_addsub")
    parts = [lower(torch.jit.script(Leaf())), Leaf()]
    module = torch.jit.script(Calls(parts, sums))
    return Model(module, runs=[(X,)], fails=[(UNFIT,)])


@model
def second_backend_fails():
    sums = lower(torch.jit.script(Sums()), backend="handrail_peer_addsub")
    module = torch.jit.script(Calls([lower(torch.jit.script(Wide()))], sums))
    return Model(module, fails=[(X,)])


class Calls(nn.Module):
    """Calls parts that were lowered before."""

    def __init__(self, parts, fixed=None):
        super().__init__()
        self.parts = nn.ModuleList(parts)
        self.fixed = fixed if fixed is not None else Sums()

    def forward(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return self.fixed(x)


@model
def lowered_in_module_list():
    parts = [lower(torch.jit.script(Leaf())), lower(torch.jit.script(Leaf())), Leaf()]
    return Model(torch.jit.script(Calls(parts)), runs=[(X,)], fails=[(UNFIT,)])


@model
def last_of_list_fails():
    parts = [Leaf(), lower(torch.jit.script(Leaf())), lower(torch.jit.script(Leaf(5)))]
    return Model(torch.jit.script(Calls(parts)), fails=[(X,)])


@model
def shared_lowered_module():
    part = lower(torch.jit.script(Leaf()))
    return Model(torch.jit.script(Calls([part, part], part)), runs=[(X,)], fails=[(UNFIT,)])


class Pair(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tuple[Tensor, Tensor]:
        a = torch.cat([x, y], 1)
        return a + 1, a[:, 0:1] - y


@model
def tuple_result():
    return Model(lower(torch.jit.script(Pair())), runs=[(X, X[:, 0:1])], fails=[(X, torch.ones(7))])


@model
def chained_handles():
    """A backend whose exception carries two handles: the failing node's and a caller's."""
    part = lower(torch.jit.script(Stack()), forward="chained")
    return Model(torch.jit.script(Calls([Leaf(), part])), runs=[(X,)], fails=[(UNFIT,)])


@model
def chained_fails_inside():
    part = lower(torch.jit.script(Leaf(5)), forward="chained")
    return Model(torch.jit.script(Calls([Leaf(), part])), fails=[(X,)])


@torch.jit.interface
class Step(nn.Module):
    def run(self, x: Tensor) -> Tensor:
        pass


class LoweredStep(nn.Module):
    def __init__(self, part):
        super().__init__()
        self.part = part

    @torch.jit.export
    def run(self, x: Tensor) -> Tensor:
        return self.part(x) - 1


class CallsStep(nn.Module):
    step: Step

    def __init__(self, part):
        super().__init__()
        self.leaf = Leaf()
        self.step = torch.jit.script(LoweredStep(part))

    def forward(self, x: Tensor) -> Tensor:
        return self.step.run(self.leaf(x)) * 2


@model
def lowered_behind_interface():
    """Three handles at once: the backend's, the interface method's, the caller's."""
    module = torch.jit.script(CallsStep(lower(torch.jit.script(Leaf(5)))))
    return Model(module, fails=[(X,)])


@model
def chained_behind_interface():
    part = lower(torch.jit.script(Leaf(5)), forward="chained")
    return Model(torch.jit.script(CallsStep(part)), fails=[(X,)])


@model
def lowered_reloaded():
    """The backend's debug info is lost in the .pt, its handles are not."""
    return Model(reload(lower_parts(net(), ["stack"])), runs=[(X, 0)], fails=FAILS)


@model
def lowered_reloaded_and_lowered():
    """Stale handles in one blob, fresh ones in the other."""
    module = reload(torch.jit.script(Calls([lower(torch.jit.script(Leaf())), Leaf()])))

    class Around(nn.Module):
        def __init__(self):
            super().__init__()
            self.old = module
            self.new = lower(torch.jit.script(Leaf(5)))

        def forward(self, x: Tensor) -> Tensor:
            return self.new(self.old(x))

    return Model(torch.jit.script(Around()), fails=[(UNFIT,), (X,)])


@model
def traced_then_lowered():
    part = torch.jit.trace(Leaf().eval(), (X,))
    return Model(lower(part), runs=[(X,)], fails=[(UNFIT,)])


@model
def frozen_then_lowered():
    part = torch.jit.freeze(torch.jit.script(Stack().eval()))
    return Model(lower(part), runs=[(X,)], fails=[(UNFIT,)])


class Keywords(nn.Module):
    @torch.jit.export
    def twice(self, x: Tensor) -> Tensor:
        return x + x

    def forward(self, x: Tensor, y: Tensor, scale: float, shift: int) -> Tensor:
        return x * scale + y - shift


class CallsKeywords(nn.Module):
    def __init__(self, part):
        super().__init__()
        self.part = part

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.part.forward(x, y, 3.0, shift=1)


@model
def keyword_arguments():
    part = lower(torch.jit.script(Keywords()))
    return Model(torch.jit.script(CallsKeywords(part)), runs=[(X, X)], fails=[(X, UNFIT)])


@model
def many_backends_handles():
    """Enough lowered nodes that handles need three and four digits."""
    parts = [lower(torch.jit.script(nn.Sequential(*[Leaf() for _ in range(40)]))) for _ in range(4)]
    return Model(torch.jit.script(Calls(parts)), runs=[(X,)], fails=[(UNFIT,)])


class LoweredList(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = lower(torch.jit.script(Leaf()))

    def forward(self, xs: List[Tensor]) -> List[Tensor]:
        return [self.part(x) for x in xs]


@model
def called_in_a_loop():
    return Model(torch.jit.script(LoweredList()), runs=[([X, X],)], fails=[([X, UNFIT],)])
