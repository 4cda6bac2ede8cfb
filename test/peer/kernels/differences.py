"""What differs between PyTorch's answer and a kernel's."""

import math
import re

import torch

from protocol import Failure

# Of the largest element, and of each: half types keep 11 and 8 bits.
TOLERANCES = {torch.float16: 4e-3, torch.bfloat16: 3e-2}
# PyTorch has no code for some element types on the CPU, where kernels may give a result; and a graph
# of arguments that no caller has (an empty list of texts) is none.
NO_ANSWER = "not implemented for|INTERNAL ASSERT FAILED"
LONG_MESSAGE = 200  # PyTorch's own words are expected up to this length


def describe(value):
    if isinstance(value, torch.Tensor):
        text = f"{str(value.dtype)[6:]}{list(value.shape)}"
        return text if value.is_contiguous() else f"{text} strides {list(value.stride())}"
    if isinstance(value, list) and any(isinstance(each, torch.Tensor) for each in value):
        return "[" + ", ".join(describe(each) for each in value) + "]"
    return repr(value)


def difference(expected, actual):
    """A text, or None."""
    if isinstance(expected, Failure) and re.search(NO_ANSWER, expected.message):
        return None
    if isinstance(expected, Failure) != isinstance(actual, Failure):
        return f"PyTorch {_short(expected)}\n  Handrail {_short(actual)}"
    if isinstance(expected, Failure):
        if expected.message == actual.message or len(expected.message) > LONG_MESSAGE:
            return None
        return f"PyTorch  {expected}\n  Handrail {actual}"
    for kind, ours, theirs in (
        ("results", actual[0], expected[0]),
        ("arguments", _changeable(actual[1]), _changeable(expected[1])),
    ):
        if kind == "results" and len(ours) != len(theirs):
            return f"{len(theirs)} results, not {len(ours)}"
        for each, other in zip(theirs, ours):
            found = _value_difference(each, other)
            if found:
                return f"{kind}: {found}"
    return None


def _changeable(arguments):
    return [each for each in arguments if isinstance(each, (torch.Tensor, list, dict))]


def _short(answer):
    return repr(answer)[:400] if isinstance(answer, Failure) else f"gives {repr(answer[0])[:300]}"


def _value_difference(expected, actual):
    if isinstance(expected, torch.Tensor) and isinstance(actual, torch.Tensor):
        return _tensor_difference(expected, actual)
    if isinstance(expected, (list, tuple)) and isinstance(actual, type(expected)):
        if len(expected) != len(actual):
            return f"{len(expected)} elements, not {len(actual)}"
        found = (_value_difference(each, other) for each, other in zip(expected, actual))
        return next((text for text in found if text), None)
    if isinstance(expected, float) and isinstance(actual, float):
        if expected == actual or (math.isnan(expected) and math.isnan(actual)):
            return None
        if math.isclose(expected, actual, rel_tol=1e-6):
            return None
    elif type(expected) is type(actual) and expected == actual:
        return None
    return f"PyTorch {expected!r}, Handrail {actual!r}"


def _tensor_difference(expected, actual):
    expected = expected.detach()
    if expected.dtype != actual.dtype or expected.shape != actual.shape:
        return f"PyTorch {describe(expected)}, Handrail {describe(actual)}"
    left, right = expected.reshape(-1).double(), actual.reshape(-1).double()
    if not expected.dtype.is_floating_point:
        wrong = expected.reshape(-1) != actual.reshape(-1)
    else:
        finite = left[left.isfinite()].abs()
        relative = TOLERANCES.get(expected.dtype, 1e-4)
        absolute = (finite.max().item() if finite.numel() else 0.0) * max(relative / 4, 1e-5)
        close = (left - right).abs() <= absolute + relative * left.abs()
        wrong = ~(close | (left == right) | (left.isnan() & right.isnan()))
    if not wrong.any():
        return None
    place = int(wrong.nonzero()[0])
    count = int(wrong.sum())
    return f"{describe(expected)}: {count} elements differ, at {place}: {left[place]} not {right[place]}"
