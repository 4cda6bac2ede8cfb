"""Arguments of operators on Python's numbers, texts and containers, from their schemas."""

import torch

import elementwise_cases  # noqa: F401  fills the table
import network_cases  # noqa: F401
import shape_cases  # noqa: F401
from case_table import GENERATORS, case

KINDS = {"int": lambda r: r.pick(r.int(-6, 6), r.int(-6, 6), 0, 1 << 40),
         "float": lambda r: r.float(), "bool": lambda r: r.chance(0.5), "str": lambda r: r.word(),
         "number": lambda r: r.number(), "Scalar": lambda r: r.number(),
         "Tensor": lambda r: r.tensor([r.int(1, 2)], torch.float32)}  # fmt: skip


def of_type(r, text, name):
    """A random value of a type as schemas write it."""
    if text.startswith("Optional["):
        return None if r.chance(0.4) else of_type(r, text[9:-1], name)
    if text.startswith("List["):
        return [of_type(r, text[5:-1], name) for _ in range(r.int(0 if r.chance(0.2) else 1, 4))]
    if text.startswith("Dict["):
        key, value = text[5:-1].split(", ", maxsplit=1)
        return {of_type(r, key, name): of_type(r, value, name) for _ in range(r.int(1, 3))}
    if text.startswith("Tuple["):
        return tuple(of_type(r, part, name) for part in text[6:-1].split(", "))
    return KINDS[text](r)


def from_schema(schema):
    """A function that makes arguments of a schema's types; None where there is one it cannot make."""

    def _arguments(r):
        meaning = r.pick("int", "int", "float", "str")
        made = []
        for argument in schema.arguments:
            text = str(argument.type.annotation_str)
            words = [meaning if word in ("t", "tVal", "AnyType", "Any") else word
                     for word in text.replace("[", " [ ").replace("]", " ] ").replace(",", " , ").split()]  # fmt: skip
            text = "".join(words).replace(",", ", ")
            made.append(of_type(r, text, argument.name))
        return made

    return _arguments


def arguments_of(name, schema):
    """All that makes arguments for an operator; what no list above names is made from its schema."""
    if name in GENERATORS:
        return GENERATORS[name]
    return [from_schema(schema)] if schema is not None else []


@case("aten::__getitem__.t", "aten::pop.t", "aten::Delete.t")
def _list_and_place(r):
    return [[r.int(-5, 5) for _ in range(r.int(0, 3))], r.int(-4, 3)]


case("aten::_set_item.t", "aten::insert.t")(lambda r: [*_list_and_place(r), r.int(-5, 5)])
case("aten::append.t")(lambda r: [[1.5, 2.0], r.float()])
case("aten::slice.t")(lambda r: [list(range(r.int(0, 6))), r.pick(None, r.int(-7, 7)), r.pick(None, r.int(-7, 7)),
                                 r.pick(1, 2, 3, 1 << 62, 0)])  # fmt: skip
case("aten::slice.str")(lambda r: [r.word(), r.pick(None, r.int(-7, 7)), r.pick(None, r.int(-7, 7)), r.pick(1, 2, 0)])
case("aten::mul.left_t")(lambda r: [[1, 2], r.int(-1, 3)])
case("aten::mul.right_")(lambda r: [r.int(-1, 3), [1, 2]])
KEYS = {"str": lambda r: r.word(), "int": lambda r: r.int(-2, 2), "bool": lambda r: r.chance(0.5),
        "float": lambda r: r.pick(0.5, 1.0, 2.0)}  # fmt: skip


def dicts(key, make):
    def filled(r):
        return {make(r): r.int(0, 9) for _ in range(r.int(1, 3))}

    def chosen(r, found):
        return r.pick(*found) if r.chance(0.6) else make(r)

    for name in (f"__contains__.{key}", f"__getitem__.Dict_{key}", f"get.{key}", f"Delete.Dict_{key}", f"pop.Dict_{key}"):
        case(f"aten::{name}")(lambda r: [d := filled(r), chosen(r, d)])
    for name in (f"_set_item.{key}", f"get.default_{key}", f"setdefault.{key}", f"pop.Dict_default_{key}"):
        case(f"aten::{name}")(lambda r: [d := filled(r), chosen(r, d), r.int(0, 9)])
    for name in (f"len.Dict_{key}", f"keys.{key}", f"values.{key}", f"items.{key}", f"clear.{key}", f"copy.Dict_{key}", f"popitem.{key}", f"dict.Dict_{key}"):
        case(f"aten::{name}")(lambda r: [filled(r)])
    case(f"aten::dict.{key}")(lambda r: [[(make(r), r.int(0, 9)) for _ in range(r.int(1, 3))]])
    case(f"aten::update.{key}")(lambda r: [filled(r), filled(r)])


for each, maker in KEYS.items():
    dicts(each, maker)


@case("aten::format")
def _format(r):
    values = [r.pick(1, 1.5, "x", True, [1, 2], None, (1, "a"), ["a", "b"], 1e20, 1e-7, float("inf"), 3.0)
              for _ in range(r.int(0, 3))]  # fmt: skip
    return [r.pick("{} {}", "a {} b {} c {}", "{}", "none", "{{}} {}"), *values]


@case("aten::percentFormat")
def _percent(r):
    text, *values = r.pick(("%d", 3), ("%s and %s", "a", 1.5), ("%5", 1), ("%d%%", 7), ("%f", 1.5), ("%d %d", 1),
                           ("%e", 12345.678), ("%g", 0.0001), ("%i", 2), ("%d", 1.5), ("%x", 255), ("%s", [1, 2]),
                           ("%c", "a"), ("none", 1), ("%", 1), ("%s", None), ("%.2f", 1.234))  # fmt: skip
    return [text, *values]


case("aten::str")(lambda r: [r.pick(1, 1.5, "x", True, [1, 2], (1, "a"), ["a", "b"], {"a": 1}, 1e20, 1e16, 1e-7, 0.1,
                                    123456789.0, 1e5, 1e6, 2.5e15, 1.0 / 3)])  # fmt: skip
case("aten::Float.str")(lambda r: [r.pick("1", "2.5", "abc", "", "1e3", "inf", " 4 ")])
case("aten::Int.str")(lambda r: [r.pick("1", "-25", "abc", "", "1.5", "0x10")])
case("aten::__range_length")(lambda r: [r.int(-5, 5), r.int(-5, 5), r.int(-2, 2)])
case("aten::join")(lambda r: [r.word(), [r.word() for _ in range(r.int(0, 3))]])
case("aten::split.str")(lambda r: [r.pick("a,b,,c", " a  b ", "", "aab"), r.pick(None, ",", "a", "ab", ""), r.int(-1, 2)])
case("aten::replace")(lambda r: [r.word(), r.pick("a", "l", "", "ab"), r.word(), r.int(-1, 2)])
case("aten::strip", "aten::lstrip", "aten::rstrip")(lambda r: [r.word(), r.pick(" ", " a", "\n\t ", "")])
for each in ("find", "rfind", "count"):
    case(f"aten::{each}")(lambda r: [r.word(), r.pick("a", "l", "", "ab"), r.int(-3, 3), r.pick(-1, 9223372036854775807, r.int(-3, 5))])
for each in ("startswith", "endswith", "index", "rindex"):
    case(f"aten::{each}")(lambda r: [r.word(), r.pick("a", "H", "", "b"), r.int(-3, 3), r.pick(-1, r.int(-3, 5))])
case("aten::ord")(lambda r: [r.pick("a", "Z", "", "ab")])
case("aten::chr")(lambda r: [r.pick(65, 97, 0, -1, 300)])
case("aten::zfill")(lambda r: [r.pick("12", "-12", "+3", ""), r.int(0, 6)])
for each in ("ljust", "rjust", "center"):
    case(f"aten::{each}")(lambda r: [r.word(), r.int(0, 9), r.pick(" ", "*", "ab")])
case("aten::index.list_int", "aten::count.int", "aten::__contains__.int_list", "aten::remove.int")(
    lambda r: [[r.int(0, 3) for _ in range(3)], r.int(0, 3)])  # fmt: skip
case("aten::pow.int", "aten::pow.int_to_int")(lambda r: [r.int(-4, 4), r.int(-2, 5)])
case("aten::pow.float", "aten::pow.Scalar_Scalar")(lambda r: [r.float(), r.float()])
case("aten::__lshift__.int", "aten::__rshift__.int")(lambda r: [r.int(-9, 9), r.int(0, 5)])
case("aten::divmod.int")(lambda r: [r.int(-9, 9), r.int(-3, 3)])
case("aten::round.float")(lambda r: [r.pick(0.5, 1.5, 2.5, -0.5, 1.4, -3.7)])
case("aten::__is__", "aten::__isnot__")(lambda r: [None, None])
case("aten::eq.device", "aten::ne.device")(lambda r: [torch.device("cpu"), torch.device("cpu")])
case("aten::device")(lambda r: [r.pick("cpu", "cpu")])
case("aten::list.t", "aten::copy.t", "aten::reverse.t", "aten::clear.t", "aten::len.t")(lambda r: [[r.int(0, 9) for _ in range(r.int(0, 3))]])
case("aten::add.t", "aten::extend.t", "aten::add_.t")(lambda r: [[1, 2], [r.int(0, 9) for _ in range(r.int(0, 3))]])
case("prim::TupleUnpack")(lambda r: [(1, 2.5)])
case("prim::type")(lambda r: [torch.device(r.pick("cpu", "cpu:0"))])
case("aten::warn")(lambda r: ["said by a test", 2])
# PyTorch's process ends where an int is divided by zero.
for each in ("aten::remainder.int", "aten::floordiv.int"):
    case(each)(lambda r: [r.int(-9, 9), r.pick(1, 2, -1, -3, 5)])
