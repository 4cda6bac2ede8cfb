"""Sources whose text is unusual: encodings, line ends, tabs, long and broken lines, odd places."""

import torch

from kit import Model, model, source_module, text_module

X = torch.ones(2, 3)
UNFIT = torch.ones(7)


def from_text(text, **members):
    return Model(text_module("M", text, **members), runs=[(X, X)], fails=[(X, UNFIT)])


def from_source(path, text):
    module = source_module(path, text)
    return Model(torch.jit.script(module.M()), runs=[(X, X)], fails=[(X, UNFIT)])


HEAD = """import torch
from torch import Tensor, nn


class M(nn.Module):
"""


@model
def utf8_in_comments():
    return from_text(
        """
    def forward(self, x, y):
      # → größer als ½ · 模型
      z = x + y # ✓ done
      return z * 2  # 🙂🙂 emoji before nothing
  """
    )


@model
def utf8_before_the_range():
    return from_text(
        """
    def forward(self, x, y):
      print("größe 🙂 模型", x + y)
      a = "ß" + "→"
      z = ["ünïcödé", "é" + "🙂"], (x * y)
      return z, a, "é" + "🙂", x - y
  """
    )


@model
def utf8_in_file():
    text = (
        HEAD
        + '''
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Größe → 模型 🙂"""
        ä = x * 2  # ein Umlaut als Name
        print("→→→", ä.size(0)); z = ä + y
        return z  # ∎
'''
    )
    return from_source("größe/模型 🙂.py", text)


@model
def tabs():
    return from_text(
        "\n\tdef forward(self, x, y):\n\t\tif\tx.size(0)\t>\t1:\n\t\t\tz\t=\tx\t+\ty\n"
        "\t\telse:\n\t\t\tz =\t(x -\t\ty)\n\t\treturn\tz\n"
    )


@model
def tabs_in_file():
    return from_source(
        "tabs.py",
        HEAD + "\tdef forward(self, x: Tensor, y: Tensor) -> Tensor:\n"
        "\t\tz\t=\tx *\t2\t# a\tcomment\n\t\treturn\tz +\ty\n",
    )


@model
def carriage_returns_in_file():
    text = HEAD + (
        "    def helper(self, x: Tensor) -> Tensor:\n        return x * 2\n\n"
        "    def forward(self, x: Tensor, y: Tensor) -> Tensor:\n"
        "        z = self.helper(x)\n        return z + y\n"
    )
    return from_source("windows.py", text.replace("\n", "\r\n"))


@model
def carriage_returns_in_text():
    return from_text(
        "\r\n    def forward(self, x, y):\r\n      z = x * 2\r\n      return z + y\r\n"
    )


@model
def no_newline_at_the_end_of_file():
    return from_source(
        "no_newline.py",
        HEAD + "    def forward(self, x: Tensor, y: Tensor) -> Tensor:\n        return x + y",
    )


@model
def starts_at_offset_zero():
    return from_text("def forward(self, x, y):\n  return x + y\n")


@model
def one_line():
    return from_text("def forward(self, x, y): return x + y\n")


@model
def blank_lines():
    return from_text(
        "\n\n\n    def forward(self, x, y):\n\n\n      z = x * 2\n\n\n\n      return z + y\n\n\n\n"
    )


@model
def trailing_spaces():
    text = "\n    def forward(self, x, y):   \n      z = x + y      \n      return z   \n   "
    return from_text(text)


@model
def several_lines_in_one_expression():
    return from_text(
        """
    def helper(self, x, y):
      return (x +
              torch.relu(
                  y
              )
             )

    def forward(self, x, y):
      z = self.helper(x * 1 -
                      1,
                      y) + self.helper(
          x,
          # a comment inside
          y + 2
      )
      return torch.cat([
          z,

          z * 2 + \\
            x,
      ], dim=0)
  """
    )


@model
def very_long_lines():
    sums = " + ".join(f"x * {i}" for i in range(800))
    return from_text(f"\n    def forward(self, x, y):\n      return (x + y) * ({sums})\n")


@model
def long_function():
    lines = "".join(f"      z = z + x * {i}\n" for i in range(300))
    return from_text(f"\n    def forward(self, x, y):\n      z = x\n{lines}      return z + y\n")


@model
def comment_with_less_indent():
    return from_text(
        """
    def forward(self, x, y):
# at the margin
      z = x * 2
  # between
      if z.sum() > 0:
        # inside
        z = z - 1
        # after
      return z + y
    # behind
  """
    )


@model
def several_statements_on_a_line():
    return from_source(
        "semicolons.py",
        HEAD
        + """
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        a = x + 1; b = a * 2; c = "→".find("x") + (b - x)
        return (a + b) + (a + y) if c.sum() > 0 else c
""",
    )


@model
def same_text_twice():
    """Two sources of the same text: the same ranges, but not the same tags."""
    part = "\n    def forward(self, x, y):\n      return x + y\n"
    return from_text(
        """
    def forward(self, x, y):
      return self.a.forward(x, x) * self.b.forward(x, y)
  """,
        a=text_module("A", part),
        b=text_module("B", part),
    )


@model
def several_texts_in_one_module():
    module = text_module("M", "\n    def helper(self, x):\n      return x * 2\n")
    module.define("\n\n\n    def forward(self, x, y):\n      return self.helper(x) + y\n")
    return Model(module, runs=[(X, X)], fails=[(X, UNFIT)])


@model
def form_feed_and_odd_spaces():
    return from_text(
        "\n    def forward(self, x, y):\n      z = x  *  2   -   1\n      return   z   +   y\n"
    )


@model
def quotes_in_file_name():
    return from_source(
        'odd "name", line 3.py',
        HEAD + "    def forward(self, x: Tensor, y: Tensor) -> Tensor:\n        return x + y\n",
    )


@model
def looks_like_a_traceback():
    return from_text(
        """
    def forward(self, x, y):
      #  File "other.py", line 3, in forward
      #         ~~~~~ <--- HERE
      # Module hierarchy:top(X)::<unknown>.aten::mul
      # Debug info for handle(s): debug_handles:{7}, was not found.
      return x + y  # ~~~ <--- HERE
  """
    )


@model
def strings_of_many_lines():
    return from_text(
        '''
    def forward(self, x, y):
      """A docstring
      over three lines: → é
      """
      s = """first
  second""" + 'a\\tb'
      return x + y, s
  '''
    )


@model
def deep_indentation():
    text = "\n    def forward(self, x, y):\n      z = x\n"
    for depth in range(30):
        text += "      " + "  " * depth + f"if z.size(0) > -{depth + 1}:\n"
    text += "      " + "  " * 30 + "z = z + y\n      return z\n"
    return from_text(text)


@model
def names_of_two_kinds():
    """Private names, and names with numbers."""
    return from_text(
        """
    def __private(self, x):
      return x + self._0.forward(x, x)

    def forward(self, x, y):
      return self.__private(x) + self.U2.forward(x, y)
  """,
        _0=text_module("_A", "def forward(self, x, y): return x - y\n"),
        U2=text_module("A_1", "def forward(self, x, y):\n return x * y\n"),
    )
