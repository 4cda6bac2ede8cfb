"""One construct of the TorchScript language each."""

from enum import Enum
from typing import Dict, List, NamedTuple, Optional, Tuple, Union

import torch
from torch import Tensor, nn

from kit import Model, model

X = torch.ones(2, 3)
UNFIT = torch.ones(7)


def half(x: Tensor) -> Tensor:
    return x / 2


def limited(x: Tensor, limit: float = 1.0) -> Tensor:
    if limit <= 0.0:
        return x
    return half(torch.clamp(x, -limit, limit)) + half(x)


def nest_of_functions(x: Tensor, y: Tensor) -> Tensor:
    return limited(limited(x, limit=3.0) + y)


class Functions(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return nest_of_functions(x, y) - nest_of_functions(x + y, y)


@model
def functions():
    return Model(torch.jit.script(Functions()), runs=[(X, X)], fails=[(X, UNFIT)])


class Leaf(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight


class Lists(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaves = nn.ModuleList([Leaf(3), Leaf(3), Leaf(5)])

    def forward(self, x: Tensor) -> Tensor:
        for leaf in self.leaves:
            x = leaf(x)
        return x + self.leaves[0](x)


@model
def module_list():
    return Model(torch.jit.script(Lists()), fails=[(X,)])


class Dicts(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaves = nn.ModuleDict({"first": Leaf(3), "second part": Leaf(3), "3rd": Leaf(5)})

    def forward(self, x: Tensor) -> Tensor:
        for name, leaf in self.leaves.items():
            if name != "first":
                x = x + leaf(x)
        return x


@model
def module_dict():
    return Model(torch.jit.script(Dicts()), fails=[(X,)])


@model
def sequential():
    net = nn.Sequential(Leaf(3), nn.ReLU(), nn.Sequential(Leaf(3), nn.Linear(3, 4), nn.Sigmoid()))
    return Model(torch.jit.script(net), runs=[(X,)], fails=[(UNFIT,)])


class Unrolled(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.ModuleList([Leaf(3), Leaf(3)]) for _ in range(3)])

    def forward(self, x: Tensor) -> Tensor:
        for i, row in enumerate(self.blocks):
            for leaf in row:
                x = leaf(x) + i
        return x


@model
def nested_module_lists():
    return Model(torch.jit.script(Unrolled()), runs=[(X,)], fails=[(UNFIT,)])


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Leaf(3)
        self.b = Leaf(5)

    def forward(self, x: Tensor, n: int, deep: bool) -> Tensor:
        if n > 3:
            if deep:
                x = self.a(x)
            else:
                x = self.b(x)
        elif n > 1:
            x = -self.a(x) if deep else self.b(x) * 2
        else:
            return x - 1
        return x + n


@model
def branches():
    fails = [(X, n, deep) for n in (2, 5) for deep in (False,)]
    return Model(torch.jit.script(Branches()), runs=[(X, 5, True), (X, 0, False)], fails=fails)


class Loops(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf = Leaf(3)

    def forward(self, x: Tensor, n: int) -> Tensor:
        total = torch.zeros(3)
        for i in range(n):
            j = 0
            while j < i:
                if j == 4:
                    break
                if (i + j) % 2 == 0:
                    j += 1
                    continue
                total = total + self.leaf(x) * j
                j += 1
            for _ in range(2):
                total += x
        return total


@model
def loops():
    one = torch.ones(3)
    return Model(torch.jit.script(Loops()), runs=[(one, 6)], fails=[(UNFIT, 2), (X, 4)])


class Raises(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        assert n != 7, "seven is refused"
        if n > 3:
            raise RuntimeError(f"n is {n}, at most 3 allowed")
        if n < 0:
            raise ValueError("negative")
        assert len(x) == 2
        return x * n


@model
def raise_and_assert():
    fails = [(X, 7), (X, 4), (X, -1), (UNFIT, 1)]
    return Model(torch.jit.script(Raises()), runs=[(X, 1)], fails=fails)


class Comprehensions(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaves = nn.ModuleList([Leaf(3), Leaf(3)])

    def forward(self, xs: List[Tensor], n: int) -> Tensor:
        squares = [i * i for i in range(n)]
        halves = [half(x) for x in xs]
        table = {i: torch.sum(halves[i]) for i in range(len(halves))}
        parts = [leaf(halves[0]) for leaf in self.leaves]
        return torch.stack(parts).sum() + table[0] + sum(squares)


@model
def comprehensions():
    return Model(torch.jit.script(Comprehensions()), runs=[([X, X], 4)], fails=[([UNFIT], 2)])


class Point(NamedTuple):
    x: Tensor
    y: Tensor
    weight: float


class Points(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Point:
        p = Point(x + 1, y, 0.5)
        q = Point(p.x * p.weight, p.y + p.x, p.weight * 2)
        return q


@model
def named_tuple():
    return Model(torch.jit.script(Points()), runs=[(X, X)], fails=[(X, UNFIT)])


class Containers(nn.Module):
    def forward(self, x: Tensor, words: List[str], table: Dict[str, Tensor]) -> Tuple[Tensor, int]:
        counts: Dict[str, int] = {}
        for word in words:
            if word in counts:
                counts[word] += 1
            else:
                counts[word] = 1
        rows: List[Tensor] = []
        for name, value in table.items():
            rows.append(value * counts.get(name, 0))
        rows.extend([x, x[0:1]])
        rows.reverse()
        del rows[0]
        first, second = rows[0], rows[-1]
        pair = (first.size(0), second)
        table["new"] = x + pair[1]
        return table[words[0]] + x[..., 1:, None].sum(), pair[0]


@model
def lists_dicts_tuples():
    table = {"a": X, "b": X * 2}
    fails = [(X, ["a", "c"], {"c": UNFIT}), (X, ["missing"], table)]
    return Model(
        torch.jit.script(Containers()), runs=[(X, ["a", "b", "a"], dict(table))], fails=fails
    )


class Prints(nn.Module):
    """print has no output: PyTorch's inliner loses its call stack."""

    def forward(self, x: Tensor, n: int) -> Tensor:
        print("n is", n)
        if n > 2:
            print("large:", x.shape)
        return x + n


class CallsPrints(nn.Module):
    def __init__(self):
        super().__init__()
        self.prints = Prints()

    def forward(self, x: Tensor) -> Tensor:
        rows: List[Tensor] = [x, x]
        for i in range(1):
            rows[i] = self.prints(x, i)
            print(len(rows))
        return torch.cat(rows)


@model
def nodes_without_outputs():
    return Model(torch.jit.script(CallsPrints()), runs=[(X,)])


class SameName(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + 1


FirstSameName = SameName


class SameName(nn.Module):  # noqa: F811
    def forward(self, x: Tensor) -> Tensor:
        return x.view(6) + 2


class UsesSameName(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = FirstSameName()
        self.second = SameName()

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.first(x))


@model
def mangled_types():
    return Model(torch.jit.script(UsesSameName()), runs=[(X,)], fails=[(UNFIT,)])


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.left = Leaf(3)
        self.right = self.left
        self.holder = nn.ModuleList([self.left])

    def forward(self, x: Tensor) -> Tensor:
        return self.left(x) + self.right(x) + self.holder[0](x)


@model
def shared_submodules():
    return Model(torch.jit.script(Shared()), runs=[(X,)], fails=[(UNFIT,)])


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf = Leaf(3)

    def forward(self, x: Tensor) -> Tensor:
        return self.leaf(x) - 1


def before(self, inputs: Tuple[Tensor]) -> Tuple[Tensor]:
    return (inputs[0] + 1,)


def after(self, inputs: Tuple[Tensor], output: Tensor) -> Tensor:
    return output * inputs[0]


@model
def hooks():
    module = Hooked()
    module.leaf.register_forward_pre_hook(before)
    module.leaf.register_forward_hook(after)
    module.register_forward_hook(after)
    return Model(torch.jit.script(module), runs=[(X,)], fails=[(UNFIT,)])


class Optionals(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias: Optional[Tensor] = None
        self.names: List[str] = ["a", "b"]
        self.limits: Dict[str, float] = {"a": 1.5}

    def forward(self, x: Tensor, y: Optional[Tensor] = None, n: Optional[int] = None) -> Tensor:
        if y is not None and n is not None:
            x = x + y * n
        bias = self.bias
        if bias is None:
            bias = torch.zeros_like(x)
        assert bias is not None
        if isinstance(y, Tensor):
            return bias + y
        return bias + x * self.limits[self.names[0]]


@model
def optionals():
    fails = [(X, UNFIT, 2), (X, UNFIT, None)]
    return Model(torch.jit.script(Optionals()), runs=[(X, None, None)], fails=fails)


class Unions(nn.Module):
    def forward(self, x: Tensor, scale: Union[int, List[int]]) -> Tensor:
        if isinstance(scale, int):
            return x * scale
        return x * torch.tensor(scale)


@model
def unions():
    return torch.jit.script(Unions())  # PyTorch's mobile runtime crashes when it runs this


class Strings(nn.Module):
    def forward(self, x: Tensor, name: str) -> str:
        words = name.strip().split(" ")
        joined = "-".join(words) + f"{len(words)}: {words[0]}"
        if joined.startswith("ab"):
            return joined.replace("b", "\t\"quoted\"\n") + "%d of %s" % (len(words), words)
        return words[5] + 'π' + "\\"


@model
def strings():
    return Model(torch.jit.script(Strings()), runs=[(X, " ab c ")], fails=[(X, "x y")])


class Statements(nn.Module):
    @torch.jit.unused
    def python_only(self, x: Tensor) -> Tensor:
        return x.numpy()

    @torch.jit.export
    def again(self, x: Tensor, times: int = 2, shift: float = 0.5) -> Tensor:
        y = x
        y *= times
        y -= shift
        y[0] = 1
        y[0, 1:] += 2
        a, (b, c) = times, (times + 1, not (times > 2 or times < -1))
        (a, b) = (b, a)
        if a <= b < 10 and c:
            pass
        return torch.where(y > 1, y, y**2) // a + b % 3 - (a << 1) + (a ^ b) + (~(y > 1)).sum()

    def forward(self, x: Tensor) -> Tensor:
        x = self.again(x.clone(), times=3, shift=float("inf")) if x.dim() > 2 else self.again(
            x.clone(), 2,
            shift=1e-3
        )
        return x @ x.t()


@model
def statements():
    return Model(torch.jit.script(Statements()), runs=[(X,)], fails=[(torch.tensor(1.0),)])


class Contexts(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            y = half(x)
            with torch.autograd.profiler.record_function("part"):
                y = y + x
        return y.view(6)


@model
def with_statements():
    return Model(torch.jit.script(Contexts()), runs=[(X,)], fails=[(UNFIT,)], mobile=False)


class Tasks(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf = Leaf(3)

    def forward(self, x: Tensor) -> Tensor:
        task = torch.jit.fork(self.leaf, x)
        other = half(x)
        return torch.jit.wait(task) + other


@model
def fork_and_wait():
    return Model(torch.jit.script(Tasks()), runs=[(X,)], mobile=False)


class Color(Enum):
    RED = 1
    BLUE = 2


class Enums(nn.Module):
    def forward(self, x: Tensor, which: int) -> Tensor:
        color = Color.RED if which == 1 else Color.BLUE
        if color == Color.RED:
            return x
        return x * color.value


@model
def enums():
    return Model(torch.jit.script(Enums()), runs=[(X, 2)], mobile=False)


@torch.jit.script
class Counter(object):
    def __init__(self, start: int):
        self.count = start

    def add(self, n: int) -> int:
        self.count += n
        return self.count


class Counts(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        counter = Counter(2)
        counter.add(3)
        return x * counter.count


@model
def classes():
    return Model(torch.jit.script(Counts()), runs=[(X,)], mobile=False)


class Types(nn.Module):
    def forward(self, x: Tensor, device: torch.device) -> Tensor:
        y = torch.zeros([2, 3], dtype=x.dtype, device=device)
        z = y.to(torch.int64) + torch.arange(0, 3, 1)
        values: List[float] = [float(v) for v in range(z.size(-1))]
        numbers: List[float] = torch.tensor(values).tolist()
        several = torch.jit.annotate(List[float], [])
        several += numbers
        c = complex(1.0, 2.0) * 2
        return y + several[0] + len(str(c)) + z.reshape([3, 2]).t()


@model
def types_and_devices():
    return Model(torch.jit.script(Types()), runs=[(X, torch.device("cpu"))])


class Overloads(nn.Module):
    def forward(self, x: Tensor, i: int, f: float) -> Tensor:
        a = x.sum() + x.sum(0) + x.sum([0, 1], keepdim=True)
        b = max(i, 3) + min(f, 0.5) + round(f) + abs(-i) + pow(f, i)
        for p, q in zip(range(3), [1.0, 2.0, 3.0]):
            a = a + p * q
        parts = torch.split(x, [1, 1], 0)
        first, second = torch.chunk(x, 2)
        values, indices = x.max(dim=0)
        return a + b + parts[0] + first + second + values + indices + f


@model
def overloads():
    return Model(torch.jit.script(Overloads()), runs=[(X, 1, 2.0)], fails=[(UNFIT, 1, 2.0)])


class Subscripts(nn.Module):
    """A result that is only subscripted: PyTorch writes no source range for its node."""

    def forward(self, x: Tensor, i: int) -> Tensor:
        first = torch.chunk(x, 2)[0]
        return first + sorted([i, 2])[0] + torch.split(x, [1, 1], 0)[i]


class CallsSubscripts(nn.Module):
    def __init__(self):
        super().__init__()
        self.subscripts = Subscripts()

    def forward(self, x: Tensor) -> Tensor:
        if x.size(0) > 1:
            x = self.subscripts(x, 1)
        return self.subscripts(x + 1, 0)


@model(loadable=False)
def subscripted_results():
    return Model(torch.jit.script(CallsSubscripts()), runs=[(X,)], fails=[(UNFIT,)])


@torch.jit.interface
class Step(nn.Module):
    def run(self, x: Tensor) -> Tensor:
        pass

    def more(self, x: Tensor, n: int) -> Tensor:
        pass


class WideStep(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf = Leaf(5)

    def inside(self, x: Tensor) -> Tensor:
        return self.leaf(x)

    @torch.jit.export
    def run(self, x: Tensor) -> Tensor:
        return self.inside(x) + 1

    @torch.jit.export
    def more(self, x: Tensor, n: int) -> Tensor:
        for _ in range(n):
            x = self.run(x)
        return x


class NarrowStep(nn.Module):
    def run(self, x: Tensor) -> Tensor:
        return limited(x)

    def more(self, x: Tensor, n: int) -> Tensor:
        return self.run(x) * n


class CallsSteps(nn.Module):
    wide: Step
    narrow: Step

    def __init__(self):
        super().__init__()
        self.wide = torch.jit.script(WideStep())
        self.narrow = NarrowStep()

    def forward(self, x: Tensor, which: int) -> Tensor:
        x = self.narrow.run(x)
        if which == 0:
            return self.wide.run(x)
        return self.wide.more(self.narrow.more(x, which), which)


@model
def interfaces():
    return Model(torch.jit.script(CallsSteps()), runs=[(UNFIT[:5], 0)], fails=[(X, 0), (X, 2)])


class OuterStep(nn.Module):
    """An interface call inside an interface call."""

    inner: Step

    def __init__(self):
        super().__init__()
        self.inner = torch.jit.script(WideStep())

    @torch.jit.export
    def run(self, x: Tensor) -> Tensor:
        return self.inner.more(x, 1)

    @torch.jit.export
    def more(self, x: Tensor, n: int) -> Tensor:
        return self.inner.more(x, n) - 1


class ThroughInterfaces(nn.Module):
    step: Step

    def __init__(self):
        super().__init__()
        self.step = torch.jit.script(OuterStep())

    def forward(self, x: Tensor) -> Tensor:
        return self.step.more(half(x), 2)


class HoldsInterfaces(nn.Module):
    def __init__(self):
        super().__init__()
        self.through = ThroughInterfaces()

    def forward(self, x: Tensor) -> Tensor:
        return self.through(x) * 2


@model
def interface_in_interface():
    return Model(torch.jit.script(HoldsInterfaces()), runs=[(UNFIT[:5],)], fails=[(X,)])


class Levels(nn.Module):
    def __init__(self, depth: int):
        super().__init__()
        self.next = Levels(depth - 1) if depth > 1 else Leaf(3)

    def forward(self, x: Tensor) -> Tensor:
        return self.next(x) + 1


@model
def deep_hierarchy():
    return Model(torch.jit.script(Levels(24)), runs=[(X,)], fails=[(UNFIT,)])


class ManyMethods(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf = Leaf(3)

    @torch.jit.export
    def a(self, x: Tensor) -> Tensor:
        return self.b(x) + self.leaf(x)

    @torch.jit.export
    def b(self, x: Tensor) -> Tensor:
        return self.leaf(x) * 2

    @property
    def size(self) -> int:
        return self.leaf.weight.size(0)

    def forward(self, x: Tensor) -> Tensor:
        return self.a(x) + self.b(x) + self.size


@model
def several_methods():
    return Model(torch.jit.script(ManyMethods()), runs=[(X,)], fails=[(UNFIT,)])


@model(name="name with spaces and ünïcödé")
def odd_file_name():
    return Model(torch.jit.script(ManyMethods()), runs=[(X,)], fails=[(UNFIT,)], method="a")


@torch.jit.script
def scripted_function(x: Tensor, n: int) -> Tensor:
    return x if n == 0 else half(x) * n


class CallsScripted(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        x = scripted_function(x, 0)
        return scripted_function(x, n=2).view(6)


@model
def scripted_functions():
    return Model(torch.jit.script(CallsScripted()), runs=[(X,)], fails=[(UNFIT,)])


class Recurrent(nn.Module):
    """PyTorch's own modules with much control flow."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, num_layers=2, batch_first=True)
        self.attention = nn.MultiheadAttention(4, 2)
        self.embedding = nn.Embedding(10, 3)

    def forward(self, ids: Tensor) -> Tensor:
        x, state = self.lstm(self.embedding(ids))
        y, weights = self.attention(x, x, x)
        return nn.functional.softmax(y + state[0].sum(), dim=-1)


@model
def recurrent_and_attention():
    ids = torch.ones(2, 3, dtype=torch.int64)
    return Model(torch.jit.script(Recurrent().eval()), runs=[(ids,)], fails=[(ids * 99,), (X,)])


@model
def transformer_encoder():
    layer = nn.TransformerEncoderLayer(8, 2, 16)
    net = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    return Model(
        torch.jit.script(net), runs=[(torch.rand(3, 1, 8),)], fails=[(torch.rand(3, 1, 7),)]
    )
