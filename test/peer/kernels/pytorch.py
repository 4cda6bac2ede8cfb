"""Calls one of PyTorch's operators, by name and with all of its arguments."""

import functools

import torch
import torchvision  # noqa: F401  registers torchvision's operators

from protocol import Failure

torch.set_num_threads(1)
torch._C._jit_set_profiling_executor(False)
torch._C._set_graph_executor_optimize(False)


@functools.lru_cache(maxsize=None)
def _schemas():
    found = {}
    for schema in torch._C._jit_get_all_schemas():
        name = schema.name + ("." + schema.overload_name if schema.overload_name else "")
        found[name] = schema
    return found


def schema(name):
    return _schemas().get(name)


LIST_TYPES = ("int[]", "float[]", "bool[]", "str[]", "Tensor[]")


@functools.lru_cache(maxsize=None)
def _overload(name):
    """The operator as a function, or None: it has to be called from a graph."""
    found = schema(name)
    if found is None or not name.startswith(("aten::", "torchvision::")):
        return None
    if any(isinstance(a.type, (torch.ListType, torch.DictType)) and a.alias_info is not None
           and a.alias_info.is_write for a in found.arguments):  # fmt: skip
        return None
    if any("List[t]" in str(a.type.annotation_str) for a in found.arguments):
        return None  # Python's lists have no element type
    if not any("Tensor" in str(a.type) for a in [*found.arguments, *found.returns]):
        return None
    space, rest = found.name.split("::")
    try:
        packet = getattr(getattr(torch.ops, space), rest)
        return getattr(packet, found.overload_name or "default")
    except (AttributeError, RuntimeError):
        return None


def _type_of(value, declared):
    """A value's type as graphs write it."""
    if declared in ("number", "Scalar"):
        return "Scalar"
    if value is None:
        return declared if "?" in declared else "NoneType"
    for kind, text in ((bool, "bool"), (int, "int"), (float, "float"), (str, "str"),
                       (torch.Tensor, "Tensor"), (torch.device, "Device")):  # fmt: skip
        if isinstance(value, kind):
            return text
    if isinstance(value, list):
        if not value:
            return declared if declared in LIST_TYPES else "int[]"
        return _type_of(value[0], "") + "[]"
    if isinstance(value, tuple):
        return "(" + ", ".join(_type_of(element, "") for element in value) + ")"
    if isinstance(value, dict):
        if not value:
            return "Dict(str, int)"
        key, element = next(iter(value.items()))
        return f"Dict({_type_of(key, '')}, {_type_of(element, '')})"
    raise TypeError(type(value))


def _written(declared):
    return "Scalar" if str(declared) == "Scalar" else str(declared)


@functools.lru_cache(maxsize=None)
def _function(name, types, results):
    """A function of a graph that has the one operator; it also gives its arguments back."""
    arguments = ", ".join(f"%a{i} : {kind}" for i, kind in enumerate(types))
    used = ", ".join(f"%a{i}" for i in range(len(types)))
    given = ", ".join(f"%r{i}{kind}" for i, kind in enumerate(results))
    kept = ", ".join([f"%r{i}" for i in range(len(results))] + [used][: len(types)])
    kinds = ", ".join([*(kind[3:] or "Tensor" for kind in results), *types])
    plain = name.split(".", maxsplit=1)[0]
    text = (
        f"graph({arguments}):\n  {given + ' = ' if results else ''}{plain}({used})\n"
        f"  %kept : ({kinds}) = prim::TupleConstruct({kept})\n  return (%kept)"
    )
    graph = torch._C.parse_ir(text)
    return torch._C._create_function_from_graph("f", graph)


SIMPLE_TYPES = {"int", "float", "bool", "str", "Tensor", "Scalar", "int[]", "float[]", "Device"}


def call(name, arguments, result_count=None):
    """Results and arguments after the call, or a Failure."""
    try:
        function = _overload(name)
        if function is not None:
            return _call_overload(name, function, arguments)
        found = schema(name)
        declared = [_written(argument.type) for argument in found.arguments] if found else []
        declared += [""] * len(arguments)
        types = tuple(_type_of(value, kind) for value, kind in zip(arguments, declared))
        results = [str(result.type) for result in found.returns] if found else [""] * result_count
        results = tuple(f" : {kind}" if kind in SIMPLE_TYPES else "" for kind in results)
        answer = list(_function(name, types, results)(*arguments))
        return answer[: len(results)], answer[len(results) :]
    except (RuntimeError, IndexError, NotImplementedError, ValueError, KeyError, TypeError) as error:
        text = str(error)
        if "failed in the TorchScript interpreter" in text:
            text = text[text.rfind("RuntimeError: ") + len("RuntimeError: ") :]
        return Failure(text)


def _call_overload(name, function, arguments):
    found = schema(name)
    positional, named = [], {}
    for argument, value in zip(found.arguments, arguments):
        if argument.kwarg_only:
            named[argument.name] = value
        else:
            positional.append(value)
    result = function(*positional, **named)
    count = len(found.returns)
    return [] if count == 0 else [result] if count == 1 else list(result), arguments
