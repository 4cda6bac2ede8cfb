"""The models of PyTorch's own backend tests, rebuilt: whole modules and parts lowered to a backend
that compiles, with inputs whose shapes do not fit."""

import torch

from kit import Model, lower, lower_parts, model, reload, text_module

UNFIT = [(torch.rand(2, 4), torch.rand(13, 9))]
FIT = [(torch.rand(2, 4), torch.rand(2, 4))]

ADD = """
    def forward(self, x, h):
      return x + h
  """

ADD_TWO = """
    def forward(self, x):
      return x + 2
  """


def plain_add():
    return text_module(
        "A",
        """
    def forward(self, x, y):
      return x + y
  """,
    )


def two_parts(first):
    return text_module(
        "C",
        """
    def forward(self, x, y):
      return self.A0.forward(x, y) + self.B0.forward(x)
  """,
        A0=first,
        B0=text_module("B", ADD_TWO),
    )


def calls(type_name, part, number):
    """A module that adds NUMBER to what its part A0, B0, ... returns."""
    name, inner = part
    text = f"""
    def forward(self, x, y):
      return self.{name}.forward(x, y) + {number}
  """
    return text_module(type_name, text, **{name: inner})


def failing(module):
    return Model(module, runs=FIT, fails=UNFIT)


@model
def compiler_add():
    return failing(lower(text_module("m", ADD)))


@model
def compiler_module_hierarchy():
    return failing(lower(two_parts(plain_add())))


@model
def compiler_two_level_hierarchy():
    inner = calls("B", ("A0", plain_add()), 2)
    return failing(lower(calls("C", ("B0", inner), 3)))


@model
def compiler_lowered_submodule():
    return failing(lower_parts(two_parts(plain_add()), ["A0"]))


@model
def compiler_selective_submodule():
    nested = calls("A", ("AA0", plain_add()), 3)
    return failing(lower_parts(two_parts(nested), ["A0"]))


COMPOSITE_PART = """
    def forward(self, x, y):
      return x {} y
  """


def two_lowered_parts():
    """Two parts of the same type name, each lowered on its own."""
    return text_module(
        "C",
        """
    def forward(self, x, y):
      return self.Add.forward(x, y) * self.Sub.forward(x, y)
  """,
        Add=lower(text_module("m_add", COMPOSITE_PART.format("+"))),
        Sub=lower(text_module("m_add", COMPOSITE_PART.format("-"))),
    )


@model
def composite():
    return failing(two_lowered_parts())


@model
def composite_reloaded():
    """After .pt the backend's debug info is lost; its handles stay in the blob."""
    return failing(reload(two_lowered_parts()))


@model
def to_backend_two_methods():
    module = text_module(
        "m",
        """
    def forward(self, x, h):
      return self.accum(x, h), self.sub_accum(x, h)

    def accum(self, x, h):
      return x + h

    def sub_accum(self, x, h):
      return x - h
  """,
    )
    return failing(lower(module, forward="", accum="", sub_accum=""))


@model(loadable=False)
def to_backend_not_available():
    """The backend says that it is not here: the module saves, and does not load."""
    return lower(text_module("m", ADD), backend="handrail_peer_unavailable")


@model
def compiler_prim_dtype():
    module = text_module(
        "m",
        """
    def forward(self, x, y):
      c = y - x
      if c.dtype == torch.float32:
        return c + x
      return c
  """,
    )
    return Model(module, runs=FIT, fails=UNFIT)


@model
def delegate_of_submodule_without_wrapper():
    """The runtime's delegate test: a lowered submodule called by an ordinary one."""
    part = lower(calls("A", ("AA0", plain_add()), 3))
    return failing(
        text_module(
            "C",
            """
    def forward(self, x, y):
      return self.A0.forward(x, y) + 1
  """,
            A0=part,
        )
    )


@model
def comp_module_with_compiler():
    module = text_module(
        "Comp",
        """
    def forward(self, a, b, s):
      return (a + b) * (a - b) * s
  """,
    )
    good, bad = torch.rand(2, 4), torch.rand(13, 9)
    return Model(lower(module), runs=[(good, good, good)], fails=[(good, good, bad)])


@model
def add_attributes_after_lowering():
    module = lower(text_module("m", ADD))
    module._c._register_attribute("attribute", torch._C.StringType.get(), "added")
    return failing(module)
