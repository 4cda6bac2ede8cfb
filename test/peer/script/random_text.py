"""Random TorchScript: texts from a grammar, and the same texts with some tokens changed."""
import random
import re

NAMES = ("a", "b", "self", "x1", "forward", "torch", "_0", "inputs", "List", "in_put", "iff", "fa")
BINARY = ("+", "-", "*", "/", "//", "%", "@", "**", "<<", ">>", "&", "|", "^", "and", "or", "<", ">",
          "<=", ">=", "==", "!=", "in", "not in", "is", "is not")
AUGMENTED = ("+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=", "**=")
NUMBERS = ("0", "1", "2.5", "1e5", "1.", ".5", "1e-05", "0x1F", "3j", "10")
STRINGS = ("'a'", '"b"', "'''c'''", r"'\n\'\\'", r'"\101"', "'é'", "'a' 'b'", '"""x\ny"""')

# Where the two read differently on purpose: a name that begins like a keyword behind `is` or `not`,
# two spaces inside `is not`, a minus before a minus before a number, loops over nothing.
KNOWN = re.compile(r"\bis\s+(not\w|not\b\s{2})|\bis\s{2,}not|\bis\s+\\|\bnot\s+in\w|\bnot\s{2,}in"
                   r"|-[\s\\(]*-[\s\\(]*[\d.]|\bfor\s+in\b|\bin\s*:|\bwith\s*:|\bglobal\b"
                   r"|\bis\s*\n\s*not|\bnot\s*\n\s*in")
TOKEN = re.compile(r"'''.*?'''|\"\"\".*?\"\"\"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|\w+|\s+|.", re.S)


class Grammar:
  def __init__(self, source):
    self.random = source

  def one_of(self, *choices):
    return self.random.choice(choices)

  def gap(self, inside):
    """White space between tokens that need none."""
    number = self.random.random()
    if number < 0.7:
      return ""
    if number < 0.9 or not inside:
      return " "
    return self.one_of("  ", "\n", " # c\n", " \\\n ", "\t")

  def listed(self, item, depth, low=0, high=3, comma=True):
    count = self.random.randint(low, high)
    parts = [item(depth) for _ in range(count)]
    text = ("," + self.gap(True)).join(parts)
    if parts and comma and self.random.random() < 0.2:
      text += "," + self.gap(True)
    return self.gap(True) + text + self.gap(True)

  def expression(self, depth, inside=True):
    if depth <= 0:
      return self.one_of(self.random.choice(NAMES), self.random.choice(NUMBERS), "None", "True", "...",
                         self.random.choice(STRINGS), self.random.choice(NAMES), "()", "[]", "{}")
    deeper = depth - self.random.randint(1, 2)
    kind = self.random.randint(0, 14)
    if kind <= 3:
      return self.postfix(depth)
    if kind <= 7:
      operator = self.random.choice(BINARY)
      space = " " if operator[0].isalpha() else self.gap(inside)
      return f"{self.expression(deeper)}{space}{operator}{space}{self.expression(deeper)}"
    if kind == 8:
      return self.one_of("-", "- ", "not ", "~") + self.expression(deeper)
    if kind == 9:
      return "(" + self.listed(self.expression, deeper, 1) + ")"
    if kind == 10:
      return "[" + self.listed(self.expression, deeper) + "]"
    if kind == 11:
      return "{" + self.listed(lambda d: f"{self.expression(d)}: {self.expression(d)}", deeper, 0, 3,
                               comma=False) + "}"
    if kind == 12:
      return (f"{self.expression(deeper)} if {self.expression(deeper)} else "
              f"{self.expression(deeper)}")
    if kind == 13:
      element = self.expression(deeper)
      rest = f"{element} for {self.target(deeper)} in {self.expression(deeper)}"
      return self.one_of(f"[{rest}]", f"f({rest})", f"{{{self.expression(deeper)}: {rest}}}")
    return "(" + self.gap(True) + self.expression(deeper) + self.gap(True) + ")"

  def postfix(self, depth):
    text = self.one_of(self.random.choice(NAMES), "(" + self.expression(depth - 2) + ")", "'s'")
    for _ in range(self.random.randint(1, 3)):
      gap = self.gap(False)
      text += gap + self.one_of(
          "." + gap + self.random.choice(NAMES),
          "(" + self.listed(self.argument, depth - 2) + ")",
          "[" + self.listed(self.index, depth - 2, 1) + "]")
    return text

  def argument(self, depth):
    number = self.random.random()
    if number < 0.2:
      return f"{self.random.choice(NAMES)}{self.gap(True)}={self.gap(True)}{self.expression(depth)}"
    return ("*" if number < 0.3 else "") + self.expression(depth)

  def index(self, depth):
    if self.random.random() < 0.5:
      return self.expression(depth)
    return ":".join(self.one_of("", self.expression(depth)) for _ in range(self.random.randint(2, 3)))

  def target(self, depth):
    return self.one_of(self.random.choice(NAMES), "(a, b)", "a.b", "a[0]", f"({self.target(0)},)"
                       if depth > 0 else "c")

  def type(self):
    return self.one_of("int", "Tensor", "List[int]", "Optional[Dict[str, Tensor]]", "__torch__.a.B")

  def values(self, depth):
    text = self.expression(depth, inside=False)
    if self.random.random() < 0.2:
      text += ", " + self.one_of("", self.expression(depth))
    return text

  def simple(self):
    value = self.values(self.random.randint(0, 4))
    short = self.expression(1)
    return self.one_of(
        f"return {value}", f"{self.random.choice(NAMES)} = {value}", f"a, b, = {value}",
        f"a.b[{short}] = c = {value}", f"a: {self.type()} = {value}", f"a: {self.type()}",
        f"{self.target(1)} {self.random.choice(AUGMENTED)} {value}", value, "return", "pass", "break",
        f"raise {short}", f"assert {short}", f"assert {short}, {short}", f"del a, b[{short}]")

  def block(self, indent, depth):
    lines = []
    for _ in range(self.random.randint(1, 3)):
      if self.random.random() < 0.15:
        lines.append(" " * self.random.randint(0, 9) + self.one_of("# c", "", "\t"))
      lines += self.statement(indent, depth)
    return lines

  def statement(self, indent, depth):
    pad = " " * indent
    if depth <= 0 or self.random.random() < 0.6:
      return [pad + self.simple() + self.one_of("", "", " ", "  # c")]
    inner = indent + self.random.randint(1, 4)
    block = lambda: self.block(inner, depth - 1)
    condition = self.expression(2)
    kind = self.random.randint(0, 4)
    if kind == 0:
      lines = [f"{pad}if {condition}:"] + block()
      for _ in range(self.random.randint(0, 2)):
        lines += [f"{pad}elif {self.expression(1)}:"] + block()
      return lines + ([f"{pad}else:"] + block() if self.random.random() < 0.5 else [])
    if kind == 1:
      return [f"{pad}while {condition}:"] + block()
    if kind == 2:
      targets = self.one_of("a", "a, b", "(a, b), c", "a,")
      return [f"{pad}for {targets} in {condition}:"] + block()
    if kind == 3:
      items = self.one_of(condition, f"{condition} as c", "a() as b, c.d")
      return [f"{pad}with {items}:"] + block()
    return self.function(indent, depth - 1)

  def parameter(self, depth):
    return (self.random.choice(NAMES) + self.one_of("", f": {self.type()}", f" : {self.type()}")
            + self.one_of("", "", f"={self.expression(depth)}"))

  def function(self, indent, depth):
    pad = " " * indent
    parameters = self.listed(self.parameter, 0)
    if self.random.random() < 0.2:
      parameters = "*, a" + self.one_of("", "=1") + ", " + parameters
    head = f"{pad}def {self.random.choice(NAMES)}({parameters}){self.one_of('', ' -> ' + self.type())}:"
    if self.random.random() < 0.1:
      return [f"{head} {self.simple()}"]
    return [head] + self.block(indent + self.random.randint(1, 4), depth)

  def text(self):
    lines = []
    base = self.one_of(0, 0, 0, 4)
    for _ in range(self.random.randint(1, 2)):
      if self.random.random() < 0.3:
        head = f"{' ' * base}class A{self.one_of('', '(B)', '(a.B)')}:"
        lines += [head] + self.block(base + 2, 2)
      else:
        lines += self.function(base, 3)
    return "\n".join(lines) + "\n"


def changed(source, text):
  """The text with a few tokens dropped, doubled, swapped or replaced."""
  tokens = TOKEN.findall(text)
  for _ in range(source.randint(1, 3)):
    at = source.randrange(len(tokens))
    kind = source.randint(0, 3)
    if kind == 0:
      tokens[at] = ""
    elif kind == 1:
      tokens[at] *= 2
    elif kind == 2:
      other = source.randrange(len(tokens))
      tokens[at], tokens[other] = tokens[other], tokens[at]
    else:
      tokens[at] = source.choice(("(", ")", ",", ":", " ", "=", "if", "else", "[", "]", "for", "*", "\n"))
  return "".join(tokens)


def texts(seed, count):
  source = random.Random(seed)
  grammar = Grammar(source)
  made = 0
  while made < count:
    text = grammar.text()
    if made % 2 == 1:
      text = changed(source, text)
    if not KNOWN.search(text):
      made += 1
      yield text
