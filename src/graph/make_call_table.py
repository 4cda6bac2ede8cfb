#!/usr/bin/python3
"""Writes call_table.txt: random calls of operators, and what PyTorch makes of each.

    make_call_table.py [COUNT [SEED]] > call_table.txt

A line is "call | overload | arguments | results", or "call | error". An argument is what the node
has as its input: v1 (the call's second argument), c (a constant: a default value, or a literal
None), [v1,v2] (a list made of them), u (an element of a tuple argument), and the conversions that
were inserted, as aten::IntImplicit(v1). In calls, `[]` is a list literal without elements.
"""
import random
import re
import sys

import torch

TYPES = {
    "Tensor": "Tensor", "int": "int", "float": "float", "bool": "bool", "complex": "complex",
    "str": "str", "Device": "Device", "Any": "Any", "number": "number",
    "List[int]": "int[]", "List[float]": "float[]", "List[Tensor]": "Tensor[]",
    "List[bool]": "bool[]", "List[str]": "str[]", "List[List[int]]": "int[][]",
    "List[Optional[Tensor]]": "Tensor?[]",
    "Optional[int]": "int?", "Optional[float]": "float?", "Optional[Tensor]": "Tensor?",
    "Optional[List[int]]": "int[]?", "Optional[str]": "str?",
    "Tuple[int, int]": "(int, int)", "Tuple[float, float]": "(float, float)",
    "Tuple[Tensor, int]": "(Tensor, int)", "Tuple[str, Tensor]": "(str, Tensor)",
    "Tuple[int, str]": "(int, str)", "Tuple[Tensor, Tensor]": "(Tensor, Tensor)",
    "List[Tuple[str, int]]": "(str, int)[]",
    "Dict[str, int]": "Dict(str, int)", "Dict[int, Tensor]": "Dict(int, Tensor)",
    "None": "NoneType", "[]": "[]",
}
# What is likely to be meant for an argument of a type.
NEAR = {
    "int": ["int", "int", "Tensor", "number", "bool", "float"],
    "float": ["float", "float", "Tensor", "number", "int"],
    "number": ["int", "float", "complex", "Tensor", "number"],
    "complex": ["complex", "Tensor", "number"],
    "List[int]": ["List[int]", "int", "Tuple[int, int]", "[]", "Tensor"],
    "List[float]": ["List[float]", "float", "Tuple[float, float]", "[]"],
    "List[Tensor]": ["List[Tensor]", "Tuple[Tensor, Tensor]", "Tensor"],
    "Device": ["Device", "str"],
    "t": ["int", "Tensor", "str", "Optional[int]"],
    "List[t]": ["List[int]", "List[str]", "List[Tensor]", "Tuple[int, int]", "[]"],
}


def type_for(wanted):
    if random.random() < 0.15:
        return random.choice(list(TYPES))
    if wanted.startswith("Optional["):
        if random.random() < 0.3:
            return "None"
        wanted = wanted[len("Optional["):-1]
    near = NEAR.get(wanted, [wanted])
    return random.choice([near[0], random.choice(near)]) if near[0] in TYPES else random.choice(list(TYPES))


def describe(value, parameters):
    node = value.node()
    kind = node.kind()
    if kind == "prim::Param":
        return "v%d" % parameters[value.debugName().split(".")[0]]
    if kind == "prim::Constant":
        return "c"
    if kind == "prim::TupleUnpack":
        return "u"
    inputs = [describe(i, parameters) for i in node.inputs()]
    if kind == "prim::ListConstruct":
        return "[%s]" % ",".join(inputs)
    if kind == "prim::TupleConstruct":
        return "(%s)" % ",".join(inputs)
    # aten::Complex and so on have more inputs than the one that is converted.
    return "%s(%s)" % (kind, ",".join(i for i in inputs if i != "c"))


def one_call(names):
    name = random.choice(names)
    schema = random.choice(torch._C._jit_get_schemas_for_operator(name))
    arguments = list(schema.arguments)
    has_receiver = bool(arguments) and arguments[0].name == "self" and random.random() < 0.4
    given, call = [], []
    keywords_from = random.randint(0, len(arguments)) if random.random() < 0.4 else len(arguments)
    for position, argument in enumerate(arguments):
        if argument.has_default_value() and random.random() < 0.6:
            keywords_from = min(keywords_from, position)
            continue
        if random.random() < 0.02:
            continue
        wanted = re.sub(r"\b(t1|t2|tVal)\b", "t", str(argument.type))
        chosen = type_for(wanted)
        is_keyword = (argument.kwarg_only or position >= keywords_from) and not (
            has_receiver and position == 0)
        keyword = ("input" if argument.name == "self" and random.random() < 0.5
                   else argument.name) if is_keyword else None
        given.append((keyword, chosen))
    if random.random() < 0.05:
        given.insert(len([g for g in given if not g[0]]), (None, random.choice(list(TYPES))))
    if has_receiver and (not given or given[0][0] or given[0][1] in ("None", "[]", "Any")):
        has_receiver = False
    if any(k in ("from", "lambda", "self", "in", "is", "as", "def") for k, _ in given if k):
        return None
    parameters, declared, texts = {}, [], []
    for index, (keyword, chosen) in enumerate(given):
        if chosen in ("None", "[]"):
            value = chosen
        else:
            value = "a%d" % index
            parameters[value] = index
            declared.append("%s: %s" % (value, chosen))
        texts.append((keyword + "=" if keyword else "") + value)
        call.append((keyword + "=" if keyword else "") + TYPES[chosen])
    operator = name.replace("::", ".")
    if has_receiver:
        # Attributes of tensors and what the compiler knows itself are no operators.
        if name in ("aten::size", "aten::to", "aten::device", "aten::tolist"):
            return None
        text = "%s.%s(%s)" % (texts[0], name.split("::")[1], ", ".join(texts[1:]))
    else:
        text = "torch.ops.%s(%s)" % (operator, ", ".join(texts))
    described = "%s%s(%s)" % ("self." if has_receiver else "", name, ", ".join(call))
    source = "def f(%s):\n    return %s\n" % (", ".join(declared), text)
    try:
        graph = torch.jit.CompilationUnit(source).f.graph
    except RuntimeError as error:
        message = str(error)
        is_mismatch = ("Arguments for call are not valid" in message or
                       "but instead found type" in message or "not provided" in message or
                       "Expected at most" in message or "Unknown keyword" in message or
                       "Keyword argument" in message or "specified twice" in message or
                       "Could not match type" in message or "could not be inferred" in message or
                       "previously matched" in message or "not used in schema" in message)
        return "%s | error" % described if is_mismatch else None
    nodes = [n for n in graph.nodes() if n.kind() == name and operator.split(".")[-1] in n.sourceRange()
             and ("torch.ops" in n.sourceRange() or has_receiver)]
    if len(nodes) != 1 or nodes[0].schema() == "(no schema)":
        # Written in TorchScript itself, renamed, or folded.
        return None
    node = nodes[0]
    overload = re.match(r"[^(]*", node.schema())[0]
    inputs = " ".join(describe(i, parameters) for i in node.inputs())
    results = "; ".join(str(o.type()) for o in node.outputs())
    return "%s | %s | %s | %s" % (described, overload, inputs, results)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    names = sorted({s.name for s in torch._C._jit_get_all_schemas() if s.name.startswith("aten::")})
    # Operators of several overloads are where there is something to choose.
    names = [n for n in names if not n.split("::")[1].startswith("_")]
    several = [n for n in names if len(torch._C._jit_get_schemas_for_operator(n)) > 3]
    lines = set()
    while len(lines) < count:
        line = one_call(several if random.random() < 0.6 else names)
        if line and (not line.endswith("error") or random.random() < 0.3):
            lines.add(line)
    print("# Calls of operators and what PyTorch %s makes of them; see make_call_table.py." % torch.__version__)
    for line in sorted(lines):
        print(line)


main()
