"""The models of PyTorch's own tests of the mobile runtime and of call stacks, rebuilt."""

from typing import Tuple

import torch

from kit import Model, model, reload, text_module

X = torch.ones(2, 3)


def one_argument(type_name, expression, **members):
    text = f"""
    def forward(self, x):
      return {expression}
  """
    return text_module(type_name, text, **members)


@model
def two_level_module_hierarchy():
    inner = text_module(
        "A",
        """
    def bar(self, x, y):
      return x + y
  """,
    )
    middle = text_module(
        "B",
        """
    def foo(self, x, y):
      return self.A0.bar(x, y) + 2
  """,
        A0=inner,
    )
    outer = text_module(
        "C",
        """
    def forward(self, x, y):
      return self.B0.foo(x, y) + 3
  """,
        B0=middle,
    )
    return Model(outer, runs=[(X, X)], fails=[(torch.rand(2, 4), torch.rand(13, 9))])


@model
def module_info_basic():
    return Model(one_argument("M", "2 * x"), runs=[(X,)])


@model
def module_info_one_submodule():
    inner = one_argument("A", "2 * x + 5")
    return Model(one_argument("B", "self.A0.forward(x) + 1", A0=inner), runs=[(X,)])


def increments():
    return one_argument("A", "x + 1"), one_argument("B", "x + 2")


@model
def module_info_two_submodules():
    a, b = increments()
    expression = "self.A0.forward(x) + self.B0.forward(x)"
    return Model(one_argument("C", expression, A0=a, B0=b), runs=[(X,)])


@model
def module_info_sequential():
    a, b = increments()
    expression = "self.A0.forward(self.B0.forward(x))"
    return Model(one_argument("C", expression, A0=a, B0=b), runs=[(X,)])


@model
def module_info_hierarchy():
    inner = one_argument("A", "x + 1")
    middle = one_argument("B", "self.A0.forward(x) + 1", A0=inner)
    return Model(one_argument("C", "self.B0.forward(x) + 1", B0=middle), runs=[(X,)])


@model
def module_info_duplicated_class():
    a0, a1 = one_argument("A", "x + 5"), one_argument("A", "x + 5")
    expression = "self.A0.forward(x) + self.A1.forward(x)"
    return Model(one_argument("B", expression, A0=a0, A1=a1), runs=[(X,)])


def self_calls(operators):
    """C calls its own method, that of B, that of A, and A's own."""
    inner = text_module(
        "A",
        """
    def bar(self, x):
      return x {0} 1

    def forward(self, x, y):
      return self.bar(x) {1} y
  """.format(
            *operators
        ),
    )
    middle = text_module(
        "B",
        """
    def foo(self, x, y):
      return self.A0.forward(x, y) + 2

    def forward(self, x, y):
      return self.foo(x, y) + 2
  """,
        A0=inner,
    )
    return text_module(
        "C",
        """
    def call_b(self, x, y):
      return self.B0.forward(x, y) + 3

    def forward(self, x, y):
      return self.call_b(x, y) + 3
  """,
        B0=middle,
    )


@model
def self_call_methods():
    return Model(self_calls("+-"), runs=[(X, X)], fails=[(X, torch.ones(5))])


@model
def self_call_methods_reloaded():
    return Model(reload(self_calls("*+")), runs=[(X, X)], fails=[(X, torch.ones(5))])


@model
def block_annotation():
    inner = text_module(
        "A",
        """
    def forward(self, x, y, z: int):
      if (z == 1):
        return x + y
      else:
        return x * y
  """,
    )
    outer = text_module(
        "B",
        """
    def forward(self, x, y, z: int):
      return self.A0.forward(x, y, z)
  """,
        A0=inner,
    )
    unfit = torch.ones(7)
    return Model(outer, runs=[(X, X, 1), (X, X, 2)], fails=[(X, unfit, 1), (X, unfit, 2)])


@model
def call_stack_of_functions():
    """The same inner function reached by two ways, with constants of its own."""
    unit = torch.jit.CompilationUnit(
        """
def a(x):
  return x + 1 + torch.relu(x)

def b(x):
  return a(x) * 7

def c(x):
  return b(x) + a(x)
"""
    )

    class Calls(torch.nn.Module):
        def forward(self, x):
            return unit_c(x)

    unit_c = unit.c
    return Model(torch.jit.script(Calls()), runs=[(X,)])


@model
def sequence_of_modules():
    """The runtime's LoadAndForward: 1 becomes 4."""
    a, b = increments()
    expression = "self.A0.forward(self.B0.forward(x))"
    return Model(one_argument("C", expression, A0=a, B0=b), runs=[(torch.ones(1),)])


class Convolution(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(20, 1, 5, 5))
        self.bias = torch.nn.Parameter(torch.ones(20))

    def forward(self, input: torch.Tensor):
        return torch._convolution(
            input, self.weight, self.bias, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, False,
            False, True, True,
        )  # fmt: skip


@model
def convolution():
    module = torch.jit.script(Convolution())
    return Model(module, runs=[(torch.ones(1, 1, 28, 28),)], fails=[(torch.ones(1, 2, 28, 28),)])


@model
def inlined_self_methods():
    module = text_module(
        "m",
        """
  def foo1(self, x):
      return x + 1

  def foo2(self, x):
      return self.foo1(x) + 2

  def foo3(self, x):
      return self.foo2(x) + 3

  def forward(self, x):
      return self.foo3(x)
  """,
    )
    return Model(module, runs=[(X,)])


@model
def tuples_and_dicts():
    module = text_module(
        "m",
        """
  def foo(self, x):
      return (1, 2, x + 3)

  def forward(self, x):
      a, b, c = self.foo(x)
      d = {"result": c, "other": x}
      return d["result"] + a, d.keys()
  """,
    )
    return Model(module, runs=[(X,)])


@model
def format_of_values():
    module = text_module(
        "m",
        """
  def forward(self, fmt: str="first {} {}", num: str="abc"):
    x = 2
    x = x * x
    return fmt.format(num, x)
  """,
    )
    return Model(module, runs=[("a {} b {}", "n")])


@model
def scalar_from_tensor():
    module = text_module(
        "m",
        """
  def forward(self, x):
        x2 = 2 * x
        return int(x2.item()) + 1
  """,
    )
    return Model(module, runs=[(torch.ones(1),)], fails=[(X,)])


@model
def primitive_conversions():
    module = text_module(
        "m",
        """
  def forward(self, x):
        x = int(x)
        return x % 2 == 0 and float(x) > 0.5
  """,
    )
    return Model(module, runs=[(torch.ones(1),)], fails=[(X,)])


@model
def pseudo_inverse():
    module = one_argument("m", "torch.pinverse(x, 1e-5)")
    return Model(module, runs=[(torch.ones(2, 2),)], fails=[(torch.ones(2),)])


class WithState(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Parameter(torch.ones(2, 3))
        self.training = False

    @torch.jit.export
    def __getstate__(self):
        return (self.first, self.training)

    @torch.jit.export
    def __setstate__(self, state: Tuple[torch.Tensor, bool]):
        self.first = state[0]
        self.training = state[1]

    def forward(self, x):
        return self.first + x


class TwoWithState(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = WithState()
        self.b = WithState()

    def forward(self, x):
        return self.a(x) * self.b(x)


@model
def set_state():
    return Model(torch.jit.script(WithState()), runs=[(X,)], fails=[(torch.ones(7),)])


@model
def duplicate_set_state():
    return Model(torch.jit.script(TwoWithState()), runs=[(X,)], fails=[(torch.ones(7),)])


@model
def builtin_class():
    module = text_module(
        "m",
        """
    def forward(self, input: str):
      return input.upper().split(".")[0]
  """,
    )
    return Model(module, runs=[("a.b",)])


@model
def default_arguments_of_operators():
    module = text_module(
        "m",
        """
    def forward(self, x):
      a = torch.add(x, x, alpha=2)
      b = torch.std(x, [0], keepdim=True, correction=1)
      c = torch.std(x, [0], True, True)
      return a + b + c + torch.std(x)
  """,
    )
    return Model(module, runs=[(X,)], fails=[(torch.ones(2, dtype=torch.int64),)])
