"""Arguments of operators that work element by element."""

import torch

from case_table import case
from inputs import FLOATS, INTS


def broadcast_pairs(names, dtypes, *more):
    @case(*names)
    def _arguments(r):
        return [*r.pair(dtypes), *[choose(r) for choose in more]]


ANY = [*FLOATS, *FLOATS, *INTS, torch.bool]
alpha = lambda r: 1 if r.chance(0.6) else r.pick(2, -1, 0.5, 0)  # noqa: E731
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")

broadcast_pairs(["aten::add.Tensor", "aten::sub.Tensor", "aten::rsub.Tensor"], ANY, alpha)
broadcast_pairs(
    ["aten::mul.Tensor", "aten::div.Tensor", "aten::floor_divide", "aten::remainder.Tensor",
     "aten::fmod.Tensor", "aten::minimum", "aten::maximum", "aten::min.other", "aten::max.other",
     "aten::atan2", "aten::logical_and", "aten::logical_or", "aten::logical_xor",
     "aten::true_divide.Tensor", "aten::multiply.Tensor", "aten::divide.Tensor",
     *[f"aten::{name}.Tensor" for name in COMPARISONS]],
    ANY,
)  # fmt: skip
broadcast_pairs(
    ["aten::__and__.Tensor", "aten::__or__.Tensor", "aten::__xor__.Tensor",
     "aten::bitwise_and.Tensor", "aten::bitwise_or.Tensor", "aten::bitwise_xor.Tensor"],
    [*INTS, *INTS, torch.bool, torch.bool, torch.float32],
)  # fmt: skip
broadcast_pairs(
    ["aten::div.Tensor_mode"], ANY, lambda r: r.pick(None, "floor", "trunc", "floor", "no")
)


@case("aten::pow.Tensor_Tensor")
def _power(r):
    if r.chance(0.5):
        return list(r.pair(FLOATS, 0.1, 3))
    return list(r.pair(INTS, 0, 3))


@case("aten::pow.Tensor_Scalar")
def _power_of_tensor(r):
    return [r.tensor(low=0.1, high=3), r.pick(0, 1, 2, 3, 0.5, 2.0, -1, -0.5)]


@case("aten::pow.Scalar")
def _power_of_number(r):
    return [r.pick(0, 1, 2, 3, 0.5, 2.5), r.tensor(low=0, high=4)]


@case("aten::add.Scalar", "aten::sub.Scalar", "aten::rsub.Scalar")
def _scaled(r):
    return [r.tensor(), r.number(), alpha(r)]


@case(
    "aten::mul.Scalar", "aten::div.Scalar", "aten::floor_divide.Scalar", "aten::remainder.Scalar",
    "aten::fmod.Scalar", "aten::clamp_min", "aten::clamp_max",
    *[f"aten::{name}.Scalar" for name in COMPARISONS],
)  # fmt: skip
def _with_number(r):
    return [r.tensor(), r.number()]


@case("aten::__and__.Scalar", "aten::__or__.Scalar", "aten::__xor__.Scalar",
      "aten::bitwise_and.Scalar", "aten::bitwise_or.Scalar", "aten::bitwise_xor.Scalar")  # fmt: skip
def _bits_with_number(r):
    return [r.tensor(dtype=r.pick(*INTS, torch.bool)), r.int(-5, 5)]


@case("aten::div.Scalar_mode")
def _divided_by_number(r):
    return [r.tensor(), r.number(), r.pick(None, "floor", "trunc")]


@case("aten::add_.Tensor", "aten::sub_.Tensor")
def _scaled_in_place(r):
    shape = r.shape()
    dtype = r.pick(*ANY)
    other = dtype if r.chance(0.7) else r.pick(*ANY)
    return [r.target(shape, dtype), r.tensor(r.narrowed(shape), other), alpha(r)]


@case("aten::mul_.Tensor", "aten::div_.Tensor", "aten::pow_.Tensor",
      "aten::logical_and_", "aten::logical_or_", *[f"aten::{name}_.Tensor" for name in COMPARISONS])  # fmt: skip
def _in_place(r):
    return _scaled_in_place(r)[:2]


case("aten::copy_")(lambda r: [*_scaled_in_place(r)[:2], False])


@case("aten::add_.Scalar", "aten::sub_.Scalar")
def _scaled_number_in_place(r):
    return [r.target(), r.number(), alpha(r)]


@case("aten::mul_.Scalar", "aten::div_.Scalar", "aten::fill_.Scalar", "aten::clamp_min_",
      "aten::clamp_max_", "aten::pow_.Scalar", *[f"aten::{name}_.Scalar" for name in COMPARISONS])  # fmt: skip
def _number_in_place(r):
    return [r.target(low=0.1), r.number()]


@case("aten::__iand__.Tensor", "aten::__ior__.Tensor", "aten::bitwise_and_.Tensor",
      "aten::bitwise_or_.Tensor")  # fmt: skip
def _bits_in_place(r):
    shape = r.shape()
    dtype = r.pick(*INTS, torch.bool)
    return [r.target(shape, dtype), r.tensor(r.narrowed(shape), dtype)]


UNARY = [
    "relu", "relu6", "neg", "abs", "hardswish", "hardsigmoid", "sigmoid", "silu", "tanh", "exp", "sin",
    "cos", "erf", "floor", "ceil", "round", "trunc", "sign", "reciprocal", "square", "mish", "selu",
    "log_sigmoid", "isnan", "isinf", "isfinite", "logical_not", "bitwise_not", "exp2", "expm1", "tan",
    "atan", "erfc", "sinh", "cosh", "positive", "frac", "log", "sqrt", "rsqrt", "log2", "log10",
    "log1p", "asin", "acos", "nan_to_num",
]  # fmt: skip
POSITIVE = {"log", "sqrt", "rsqrt", "log2", "log10", "log1p"}


def unary(name):
    if name == "nan_to_num":
        case("aten::nan_to_num")(lambda r: [_with_odd(r), None, None, None])
        return
    low, high = (0.05, 4) if name in POSITIVE else (-1, 1) if name in ("asin", "acos") else (-4, 4)
    case(f"aten::{name}")(lambda r: [r.tensor(low=low, high=high)])
    case(f"aten::{name}")(lambda r: [_with_odd(r)])
    case(f"aten::{name}_")(lambda r: [r.target(low=low, high=high)])


def _with_odd(r):
    """Infinities, NaN and zeros among the elements."""
    made = r.target(dtype=r.pick(*FLOATS))
    flat = made.reshape(-1)
    for i in range(flat.numel()):
        if r.chance(0.3):
            flat[i] = r.pick(float("inf"), float("-inf"), float("nan"), 0.0, -0.0)
    return flat.reshape(made.shape)


for each in UNARY:
    unary(each)


@case("aten::hardtanh")
def _hardtanh(r):
    return [r.float_tensor(), *r.pick((-1, 1), (0, 6), (-0.5, 2.5), (0.0, 6.0))]


@case("aten::hardtanh_")
def _hardtanh_in_place(r):
    return [r.target(dtype=r.pick(*FLOATS)), *r.pick((-1, 1), (0, 6), (0.0, 6.0))]


case("aten::leaky_relu")(lambda r: [r.float_tensor(), r.pick(0.01, 0.2, 1)])
case("aten::leaky_relu_")(lambda r: [r.target(dtype=r.pick(*FLOATS)), r.pick(0.01, 0.2)])
case("aten::elu")(lambda r: [r.float_tensor(), r.pick(1, 0.5), 1, 1])
case("aten::elu_")(lambda r: [r.target(dtype=r.pick(*FLOATS)), r.pick(1, 0.5), 1, 1])
case("aten::celu")(lambda r: [r.float_tensor(), r.pick(1, 0.5)])
case("aten::gelu")(lambda r: [r.float_tensor(), r.pick("none", "tanh")])
case("aten::softplus")(lambda r: [r.float_tensor(), r.pick(1, 2), r.pick(20, 1)])
case("aten::hardshrink")(lambda r: [r.float_tensor(), r.pick(0.5, 1)])
case("aten::softshrink")(lambda r: [r.float_tensor(), r.pick(0.5, 1)])
case("aten::threshold")(lambda r: [r.float_tensor(), r.pick(0, 0.5), r.pick(0, 2)])
case("aten::glu")(lambda r: [r.main_tensor([r.int(1, 4), r.pick(2, 4, 4, 3)]), -1])


@case("aten::prelu")
def _prelu(r):
    shape = [r.int(1, 3), r.int(1, 4), *r.shape(0, 2)]
    dtype = r.pick(torch.float32, torch.float64)
    return [r.tensor(shape, dtype), r.tensor([r.pick(1, shape[1])], dtype)]


case("aten::dropout", "aten::feature_dropout", "aten::alpha_dropout")(
    lambda r: [r.float_tensor(), 0.5, False]
)
case("aten::dropout_", "aten::feature_dropout_")(
    lambda r: [r.target(dtype=r.pick(*FLOATS)), 0.5, False]
)


@case("aten::where.self")
def _where(r):
    shape = r.shape()
    dtype = r.pick(*FLOATS, *INTS, torch.bool)
    other = dtype if r.chance(0.8) else r.pick(*FLOATS)
    condition = r.tensor(r.narrowed(shape), torch.bool if r.chance(0.95) else torch.int64)
    return [condition, r.tensor(r.narrowed(shape), dtype), r.tensor(r.narrowed(shape), other)]




case("aten::where.ScalarOther")(lambda r: [r.tensor(dtype=torch.bool, shape=[3, 2]),
                                           r.tensor([3, 2], r.pick(*FLOATS)), r.number()])  # fmt: skip
case("aten::where.ScalarSelf")(lambda r: [r.tensor(dtype=torch.bool, shape=[3, 2]), r.number(),
                                          r.tensor([3, 2], r.pick(*FLOATS))])  # fmt: skip
case("aten::where.Scalar")(lambda r: [r.tensor(dtype=torch.bool), r.number(), r.number()])


@case("aten::masked_fill.Scalar")
def _masked_fill(r):
    shape = r.shape()
    return [r.tensor(shape), r.tensor(r.narrowed(shape), torch.bool), r.number()]


@case("aten::masked_fill_.Scalar")
def _masked_fill_in_place(r):
    shape = r.shape()
    return [r.target(shape), r.tensor(r.narrowed(shape), torch.bool), r.number()]


@case("aten::masked_fill.Tensor")
def _masked_fill_by_tensor(r):
    shape = r.shape()
    dtype = r.pick(*FLOATS)
    return [r.tensor(shape, dtype), r.tensor(r.narrowed(shape), torch.bool), r.tensor([], dtype)]


case("aten::clamp")(lambda r: [r.tensor(), *r.pick((-1, 1), (None, 2), (0.5, None), (-1.5, 2), (None, None))])
case("aten::clamp_")(lambda r: [r.target(dtype=r.pick(*FLOATS)), *r.pick((-1, 1), (None, 2), (0.5, None))])
case("aten::zero_")(lambda r: [r.target()])
case("aten::fill_.Tensor")(lambda r: [r.target(), r.tensor([])])


@case("aten::lerp.Scalar")
def _lerp(r):
    dtype = r.pick(torch.float32, torch.float64)
    shape = r.shape()
    return [r.tensor(shape, dtype), r.tensor(r.narrowed(shape), dtype), r.pick(0.2, 0.7, 1)]


@case("aten::addcmul", "aten::addcdiv")
def _addc(r):
    dtype = r.pick(torch.float32, torch.float64)
    shape = r.shape()
    return [r.tensor(shape, dtype), r.tensor(r.narrowed(shape), dtype),
            r.tensor(r.narrowed(shape), dtype, 1, 4), r.pick(1, 0.5)]  # fmt: skip
