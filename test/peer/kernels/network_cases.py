"""Arguments of reductions, products of matrices, and the layers of networks."""

import torch

from case_table import case
from inputs import MAIN

code = lambda r: r.pick(None, None, None, r.dtype_code())  # noqa: E731

case("aten::sum", "aten::prod")(lambda r: [r.tensor(low=-2, high=2), code(r)])
case("aten::mean")(lambda r: [r.tensor(), r.pick(None, None, 6, 7)])
case("aten::sum.dim_IntList")(lambda r: [t := r.tensor(), r.dimensions(t), r.chance(0.5), code(r)])
case("aten::sum.dim_IntList", "aten::mean.dim")(lambda r: [t := r.float_tensor(), [r.dimension(t)], r.chance(0.5), None])
case("aten::mean.dim")(lambda r: [t := r.tensor(), r.dimensions(t), r.chance(0.5), r.pick(None, None, 6)])
case("aten::mean.dim", "aten::sum.dim_IntList")(lambda r: [r.float_tensor(), None, False, None])
case("aten::prod.dim_int")(lambda r: [t := r.tensor(low=-2, high=2), r.dimension(t), r.chance(0.5), code(r)])
case("aten::max", "aten::min", "aten::any", "aten::all")(lambda r: [r.tensor()])
case("aten::max.dim", "aten::min.dim", "aten::any.dim", "aten::all.dim", "aten::mode", "aten::median.dim")(
    lambda r: [t := r.tensor(), r.dimension(t), r.chance(0.5)])  # fmt: skip
case("aten::median")(lambda r: [r.tensor()])
case("aten::amax", "aten::amin", "aten::logsumexp")(lambda r: [t := r.tensor(), r.dimensions(t), r.chance(0.5)])
case("aten::argmax", "aten::argmin")(lambda r: [t := r.tensor(), r.pick(None, r.dimension(t)), r.chance(0.5)])
case("aten::var", "aten::std")(lambda r: [r.float_tensor(), r.chance(0.5)])
case("aten::var.dim", "aten::std.dim", "aten::var_mean.dim", "aten::std_mean.dim")(
    lambda r: [t := r.float_tensor(), r.dimensions(t), r.chance(0.5), r.chance(0.5)])  # fmt: skip
case("aten::var.correction", "aten::std.correction", "aten::var_mean.correction")(
    lambda r: [t := r.float_tensor(), r.dimensions(t), r.pick(None, 0, 1, 2), r.chance(0.5)])  # fmt: skip
case("aten::var_mean")(lambda r: [r.float_tensor(), r.chance(0.5)])
case("aten::norm.ScalarOpt_dim")(
    lambda r: [t := r.float_tensor(), r.pick(None, 1, 2, 2.0, 3, float("inf"), 0), r.dimensions(t), r.chance(0.5)])  # fmt: skip
case("aten::norm.Scalar")(lambda r: [r.float_tensor(), r.pick(1, 2, 2.0)])
case("aten::linalg_vector_norm")(lambda r: [t := r.main_tensor(), r.pick(1, 2, 2.0), r.dimensions(t), r.chance(0.5), None])
case("aten::cumsum", "aten::cumprod")(lambda r: [t := r.tensor(low=-2, high=2), r.dimension(t), code(r)])
case("aten::count_nonzero")(lambda r: [r.tensor(), None])


def distinct(r, low=0):
    """Elements that differ, so that order does not depend on how equal ones are put."""
    shape = r.shape(low, 3)
    count = 1
    for size in shape:
        count *= size
    values = torch.randperm(count, generator=r.generator).reshape(shape)
    dtype = r.pick(torch.float32, torch.float64, torch.int64, torch.int32, torch.float16)
    return values.to(dtype).contiguous()


case("aten::sort")(lambda r: [t := distinct(r), r.dimension(t), r.chance(0.5)])
case("aten::sort.stable")(lambda r: [t := r.tensor(), True, r.dimension(t), r.chance(0.5)])
case("aten::argsort")(lambda r: [t := distinct(r), r.dimension(t), r.chance(0.5)])
case("aten::topk")(lambda r: [t := distinct(r), r.int(-1, 4), r.dimension(t), r.chance(0.5), True])
case("aten::kthvalue")(lambda r: [t := distinct(r), r.int(0, 3), r.dimension(t), r.chance(0.5)])
case("aten::_unique2")(lambda r: [r.tensor(), True, r.chance(0.5), r.chance(0.5)])
case("aten::unique_dim")(lambda r: [r.tensor([r.int(1, 4)], torch.int64), 0, True, True, True])

case("aten::softmax.int", "aten::log_softmax.int")(lambda r: [t := r.float_tensor(), r.dimension(t), r.pick(None, None, 7)])
case("aten::_softmax", "aten::_log_softmax")(lambda r: [t := r.main_tensor(), r.dimension(t), False])
case("aten::softmax.int")(lambda r: [t := r.tensor(), r.dimension(t), r.pick(None, 6)])


def same(r, *shapes, low=-2.0, high=2.0):
    """Tensors of these shapes and one element type; seldom one of another."""
    dtype = r.pick(*MAIN)
    made = [r.tensor(shape, dtype, low, high) for shape in shapes]
    if r.chance(0.03):
        made[-1] = r.tensor(shapes[-1], r.pick(torch.float64, torch.int64), low, high)
    return made


def size(r):
    return 0 if r.chance(0.05) else r.int(1, 5)


def off(r, number):
    """Seldom another number."""
    return number + 1 if r.chance(0.04) else number


@case("aten::mm")
def _mm(r):
    k = size(r)
    return same(r, [size(r), k], [off(r, k), size(r)])


case("aten::mv")(lambda r: same(r, [size(r), k := size(r)], [off(r, k)]))
case("aten::dot")(lambda r: same(r, [k := size(r)], [off(r, k)]))
case("aten::outer", "aten::ger")(lambda r: same(r, [size(r)], [size(r)]))
case("aten::bmm")(lambda r: same(r, [b := size(r), size(r), k := size(r)], [off(r, b), off(r, k), size(r)]))


@case("aten::matmul")
def _matmul(r):
    k = size(r)
    batch = r.shape(0, 2, 3)
    left = r.pick([k], [size(r), k], [*r.narrowed(batch), size(r), k], [*r.narrowed(batch), size(r), k])
    right = r.pick([off(r, k)], [off(r, k), size(r)], [*r.narrowed(batch), off(r, k), size(r)])
    return same(r, [] if r.chance(0.03) else left, right)


scales = lambda r: r.pick((1, 1), (1, 1), (0.5, 2), (0, 1), (2, 1))  # noqa: E731


@case("aten::addmm")
def _addmm(r):
    m, k, n = size(r), size(r), size(r)
    return [*same(r, r.narrowed([m, n]), [m, k], [off(r, k), n]), *scales(r)]


@case("aten::addmm_", "aten::baddbmm_", "aten::addmv")
def _addmv(r):
    m, k = size(r), size(r)
    return [*same(r, [m], [m, k], [k]), *scales(r)]


@case("aten::baddbmm")
def _baddbmm(r):
    b, m, k, n = size(r), size(r), size(r), size(r)
    return [*same(r, r.narrowed([b, m, n]), [b, m, k], [off(r, b), off(r, k), n]), *scales(r)]


@case("aten::linear")
def _linear(r):
    k, n = size(r), size(r)
    shapes = [[*r.shape(0, 3), k], [n, off(r, k)]]
    if r.chance(0.7):
        return same(r, *shapes, [off(r, n)])
    return [*same(r, *shapes), None]


EQUATIONS = {
    "ij,jk->ik": ([2, 3], [3, 4]), "bij,bjk->bik": ([2, 3, 4], [2, 4, 3]), "ij->ji": ([2, 3],),
    "ii->i": ([3, 3],), "ij,ij->": ([2, 3], [2, 3]), "...ij,...jk->...ik": ([2, 2, 3], [2, 3, 4]),
    "bhid,bhjd->bhij": ([2, 2, 3, 4], [2, 2, 5, 4]), "i,j->ij": ([3], [4]), "ij,jk": ([2, 3], [3, 4]),
    "b h w c -> b c h w": ([2, 3, 4, 5],), "ii": ([3, 3],), "bn,anm,bm->ba": ([2, 5], [3, 5, 4], [2, 4]),
    "ij,kj->ik": ([2, 3], [4, 3]), "...->...": ([2, 3],), "ij,jk->il": ([2, 3], [3, 4]),
    "B H I J , B J H D -> B I H D": ([2, 2, 3, 4], [2, 4, 2, 5]), "ij": ([2, 3], [2, 3]),
}  # fmt: skip
case("aten::einsum")(lambda r: [e := r.pick(*EQUATIONS), same(r, *EQUATIONS[e]), None])
case("aten::tensordot")(lambda r: [*same(r, [2, 3, 4], [3, 4, 5]), [1, 2], [0, 1]])


class Convolution:
    """Random sizes of a convolution over COUNT dimensions."""

    def __init__(self, r, count, turned=False):
        self.groups = r.pick(1, 1, 1, 2, 3)
        inner, outer = r.int(1, 3), r.int(1, 3)
        self.kernel = [r.int(1, 3) for _ in range(count)]
        self.stride = [r.int(1, 2) for _ in range(count)]
        self.padding = [r.int(0, 1 if turned else 2) for _ in range(count)]
        self.dilation = [r.int(1, 2) for _ in range(count)]
        self.output_padding = [r.int(0, 1) if turned else 0 for _ in range(count)]
        channels = off(r, inner * self.groups)
        shape = [channels, *[r.int(1 if r.chance(0.1) else 4, 7) for _ in range(count)]]
        self.has_batch = r.chance(0.85)
        shape = [size(r) if r.chance(0.5) else 1, *shape] if self.has_batch else shape
        outs = outer * self.groups
        weight = [inner * self.groups, outer] if turned else [outs, inner]
        self.tensors = same(r, shape, [*weight, *self.kernel], [off(r, outs)])
        if r.chance(0.4):
            self.tensors[2] = None


def convolutions(name, count):
    def _arguments(r):
        c = Convolution(r, count)
        lists = [c.stride, c.padding, c.dilation]
        if r.chance(0.2):
            lists = [[each[0]] for each in lists]
        if r.chance(0.04):
            lists[r.int(0, 2)] = [r.pick(0, -1)] * count
        return [*c.tensors, *lists, c.groups]

    def _turned(r):
        c = Convolution(r, count, True)
        return [*c.tensors, c.stride, c.padding, c.output_padding, c.groups, c.dilation]

    case(f"aten::conv{name}")(_arguments)
    case(f"aten::conv{name}.padding")(
        lambda r: [*(c := Convolution(r, count)).tensors, [1] * count, r.pick("same", "valid"), c.dilation, c.groups]
    )
    case("aten::conv_transpose" + name + (".input" if count > 1 else ""))(_turned)


convolutions("1d", 1)
convolutions("2d", 2)
convolutions("3d", 3)


@case("aten::_convolution")
def _convolution(r):
    turned = r.chance(0.4)
    c = Convolution(r, r.int(1, 3), turned)
    return [*c.tensors, c.stride, c.padding, c.dilation, turned, c.output_padding, c.groups,
            False, False, False, False]  # fmt: skip


case("aten::_convolution.deprecated")(lambda r: _convolution(r)[:-1])
case("aten::convolution")(lambda r: _convolution(r)[:-4])


def pool_input(r, count):
    lead = [r.int(1, 2) for _ in range(r.pick(1, 2, 2))]
    return r.main_tensor([*lead, *[r.int(2, 8) for _ in range(count)]])


def pools(count):
    dim = f"{count}d"

    def _window(r):
        kernel = [r.int(1, 3) for _ in range(count)]
        stride = r.pick([], [r.int(1, 3) for _ in range(count)])
        padding = [r.int(0, 1) for _ in range(count)]
        if r.chance(0.25):
            kernel, padding = [r.int(1, 3)], [0]
            stride = r.pick([], [2], [2] * count)
        return kernel, stride, padding

    def _max(r):
        dilation = [r.pick(1, 1, 2)] * count
        return [pool_input(r, count), *_window(r), dilation, r.chance(0.4)]

    def _average(r):
        more = [r.pick(None, None, 2, 5)] if count > 1 else []
        return [pool_input(r, count), *_window(r), r.chance(0.4), r.chance(0.5), *more]

    def _adaptive(r):
        return [pool_input(r, count), [r.pick(1, 1, 2, 3, 5) for _ in range(count)]]

    case(f"aten::max_pool{dim}", f"aten::max_pool{dim}_with_indices")(_max)
    case(f"aten::avg_pool{dim}")(_average)
    case(f"aten::adaptive_avg_pool{dim}", f"aten::_adaptive_avg_pool{dim}", f"aten::adaptive_max_pool{dim}")(_adaptive)


for each in (1, 2, 3):
    pools(each)


def upsampling(mode, count, corners):
    # Of the two, PyTorch wants one.
    def _by(r):
        shape = [r.int(1, 2), r.int(1, 2), *[r.int(1, 5) for _ in range(count)]]
        tensor = r.main_tensor(shape if r.chance(0.97) else shape[1:])
        by_size = r.chance(0.5)
        sizes = [r.int(1, 8) for _ in range(count)] if by_size else None
        factors = None if by_size else [r.pick(2.0, 1.5, 0.7, 1.0)] * count
        if r.chance(0.03):
            sizes = factors = None
        return [tensor, sizes, *([r.chance(0.5)] if corners else []), factors]

    def _sized(r):
        tensor, sizes, *rest = _by(r)
        factors = rest[-1]
        sizes = sizes or [max(int(s * 1.5), 1) for s in tensor.shape[2:]] or [1]
        given = [None if factors is None else factors[0]] * count
        return [tensor, sizes, *rest[:-1], *given]

    case(f"aten::{mode}.vec")(_by)
    case(f"aten::{mode}")(_sized)


for each in (1, 2, 3):
    upsampling(f"upsample_nearest{each}d", each, False)
    upsampling(f"_upsample_nearest_exact{each}d", each, False)
upsampling("upsample_linear1d", 1, True)
upsampling("upsample_bilinear2d", 2, True)
upsampling("upsample_trilinear3d", 3, True)
upsampling("upsample_bicubic2d", 2, True)
upsampling("_upsample_bilinear2d_aa", 2, True)
upsampling("_upsample_bicubic2d_aa", 2, True)

case("aten::grid_sampler")(
    lambda r: [*same(r, [2, 2, 4, 5], [2, 3, 2, 2], low=-1.2, high=1.2), r.int(0, 1), r.int(0, 1), r.chance(0.5)])  # fmt: skip


@case("aten::batch_norm")
def _batch_norm(r):
    channels = r.int(1, 4)
    shape = [r.int(1, 3), channels, *r.shape(0, 3)]
    made = same(r, shape, [channels], [channels])
    trains = r.chance(0.2)
    mean, variance = same(r, [channels], [channels], low=0.1)
    statistics = [mean.to(made[0].dtype).clone(), variance.to(made[0].dtype).clone()]
    if trains and r.chance(0.5):
        statistics = [None, None]
    weights = made[1:] if r.chance(0.7) else [None, None]
    return [made[0], *weights, *statistics, trains, 0.1, 1e-5, False]


@case("aten::instance_norm")
def _instance_norm(r):
    channels = r.int(1, 3)
    made = same(r, [r.int(1, 3), channels, r.int(2, 4), *[r.int(1, 4) for _ in range(r.int(0, 2))]], [channels], [channels])
    statistics = [None, None]
    uses_input = True
    if r.chance(0.3):
        statistics = [r.filled([channels], made[0].dtype), r.filled([channels], made[0].dtype, 0.1, 2)]
        uses_input = False
    return [made[0], *(made[1:] if r.chance(0.6) else [None, None]), *statistics, uses_input, 0.1, 1e-5, False]


@case("aten::layer_norm")
def _layer_norm(r):
    shape = r.shape(1, 4)
    normalized = shape[r.int(0, len(shape) - 1) :]
    if r.chance(0.04):
        normalized = [normalized[0] + 1]
    made = same(r, shape, normalized, normalized)
    weights = r.pick(made[1:], [made[1], None], [None, None])
    return [made[0], normalized, *weights, r.pick(1e-5, 1e-6), False]


@case("aten::group_norm")
def _group_norm(r):
    groups = r.int(1, 3)
    channels = off(r, groups * r.int(1, 2))
    made = same(r, [r.int(1, 3), channels, *[r.int(1, 4) for _ in range(r.int(0, 2))]], [channels], [channels])
    weights = r.pick(made[1:], [None, None])
    return [made[0], groups, *weights, 1e-5, False]


@case("aten::local_response_norm")
def _local_response(r):
    return [r.main_tensor([2, 5, 3]), 3, 1e-4, 0.75, 1.0]


def recurrent_weights(r, inputs, hidden, layers, both, gates, biased, dtype):
    made = []
    for layer in range(layers):
        for _ in range(2 if both else 1):
            columns = inputs if layer == 0 else hidden * (2 if both else 1)
            made += [r.filled([gates * hidden, columns], dtype, -1, 1), r.filled([gates * hidden, hidden], dtype, -1, 1)]
            if biased:
                made += [r.filled([gates * hidden], dtype, -1, 1) for _ in range(2)]
    return made


def recurrent(names, gates):
    @case(*names)
    def _arguments(r):
        dtype = r.pick(torch.float32, torch.float64)
        inputs, hidden, layers, batch = r.int(1, 4), r.int(1, 4), r.int(1, 2), r.int(1, 3)
        both, biased, leads = r.chance(0.4), r.chance(0.7), r.chance(0.5)
        shape = [batch, r.int(1, 4)] if leads else [r.int(1, 4), batch]
        states = [r.filled([layers * (2 if both else 1), batch, hidden], dtype) for _ in range(2)]
        weights = recurrent_weights(r, inputs, hidden, layers, both, gates, biased, dtype)
        return [r.filled([*shape, inputs], dtype), states if gates == 4 else states[0], weights, biased,
                layers, 0.0, False, both, leads]  # fmt: skip


recurrent(["aten::lstm.input"], 4)
recurrent(["aten::gru.input"], 3)
recurrent(["aten::rnn_tanh.input", "aten::rnn_relu.input"], 1)


@case("aten::lstm.data")
def _packed_lstm(r):
    sizes = sorted([r.int(1, 4) for _ in range(r.int(1, 4))], reverse=True)
    layers, both, biased, inputs, hidden = r.int(1, 2), r.chance(0.4), r.chance(0.7), 3, 2
    states = [r.filled([layers * (2 if both else 1), sizes[0], hidden], torch.float32) for _ in range(2)]
    weights = recurrent_weights(r, inputs, hidden, layers, both, 4, biased, torch.float32)
    return [r.filled([sum(sizes), inputs], torch.float32), torch.tensor(sizes), states, weights, biased,
            layers, 0.0, False, both]  # fmt: skip


def cell(names, gates):
    @case(*names)
    def _arguments(r):
        dtype = r.pick(torch.float32, torch.float64)
        batch, inputs, hidden = r.int(1, 3), r.int(1, 4), r.int(1, 4)
        states = [r.filled([batch, hidden], dtype) for _ in range(2)]
        biases = [r.filled([gates * hidden], dtype) for _ in range(2)] if r.chance(0.8) else [None, None]
        return [r.filled([batch, inputs], dtype), states if gates == 4 else states[0],
                r.filled([gates * hidden, inputs], dtype), r.filled([gates * hidden, hidden], dtype), *biases]  # fmt: skip


cell(["aten::lstm_cell"], 4)
cell(["aten::gru_cell"], 3)
cell(["aten::rnn_tanh_cell", "aten::rnn_relu_cell"], 1)


@case("aten::_native_multi_head_attention")
def _attention(r):
    heads = r.int(1, 2)
    width = 4 * heads
    shape = [r.int(1, 3), r.int(1, 4), width]
    query = r.filled(shape, torch.float32)
    mask, kind = None, None
    if r.chance(0.5):
        kind = r.int(0, 1)
        rows = [shape[1], shape[1]] if kind == 0 else [shape[0], shape[1]]
        mask = r.filled(rows, torch.bool)
        mask[:, 0] = False
    return [query, query, query, width, heads, r.filled([3 * width, width], torch.float32, -1, 1),
            r.filled([3 * width], torch.float32), r.filled([width, width], torch.float32, -1, 1),
            r.filled([width], torch.float32), mask, r.chance(0.5), r.chance(0.5), kind]  # fmt: skip


@case("aten::_transformer_encoder_layer_fwd")
def _encoder_layer(r):
    heads = r.int(1, 2)
    width, inner = 4 * heads, 6
    shape = [r.int(1, 3), r.int(1, 4), width]
    f = lambda *sizes: r.filled(list(sizes), torch.float32, -1, 1)  # noqa: E731
    mask, kind = None, None
    if r.chance(0.4):
        kind = r.int(0, 1)
        mask = r.filled([shape[1], shape[1]] if kind == 0 else [shape[0], shape[1]], torch.bool)
        mask[:, 0] = False
    return [f(*shape), width, heads, f(3 * width, width), f(3 * width), f(width, width), f(width),
            r.chance(0.5), r.chance(0.5), 1e-5, f(width), f(width), f(width), f(width), f(inner, width),
            f(inner), f(width, inner), f(width), mask, kind]  # fmt: skip


def pair_of(r):
    shape = r.shape()
    return same(r, shape, shape, low=0.05, high=0.95)


case("aten::mse_loss", "aten::l1_loss")(lambda r: [*pair_of(r), r.int(0, 2)])
case("aten::smooth_l1_loss", "aten::huber_loss")(lambda r: [*pair_of(r), r.int(0, 2), r.pick(1.0, 0.5)])
case("aten::binary_cross_entropy")(lambda r: [*pair_of(r), None, r.int(0, 2)])
case("aten::binary_cross_entropy_with_logits")(lambda r: [*pair_of(r), None, None, r.int(0, 2)])
case("aten::nll_loss", "aten::nll_loss_nd")(
    lambda r: [r.main_tensor([3, 4]), r.tensor([3], torch.int64, 0, 3), None, r.int(0, 2), -100])  # fmt: skip
case("aten::cross_entropy_loss")(
    lambda r: [r.main_tensor([3, 4]), r.tensor([3], torch.int64, 0, 3), None, r.int(0, 2), -100, r.pick(0.0, 0.1)])  # fmt: skip
case("aten::cosine_similarity")(lambda r: [*same(r, [3, 4], [3, 4]), r.pick(0, 1, -1), 1e-8])
case("aten::cdist")(lambda r: [*same(r, [2, 3, 4], [2, 5, 4]), 2.0, None])
case("aten::pairwise_distance")(lambda r: [*same(r, [3, 4], [3, 4]), 2.0, 1e-6, False])
case("aten::pinverse")(lambda r: [r.filled([r.int(1, 4), r.int(1, 4)], r.pick(torch.float32, torch.float64)), 1e-15])
case("aten::allclose")(lambda r: [t := r.float_tensor([3]), t + r.pick(0, 1), 1e-5, 1e-8, False])
case("aten::equal")(lambda r: [t := r.tensor(), t.clone() if r.chance(0.5) else r.tensor()])
case("aten::trace")(lambda r: [r.main_tensor([r.int(1, 4), r.int(1, 4)])])
case("aten::diag")(lambda r: [r.tensor(r.pick([3], [2, 3], [3, 3])), r.int(-1, 1)])
case("aten::diagonal")(lambda r: [r.tensor(r.pick([2, 3], [3, 3], [2, 3, 4])), r.int(-1, 1), 0, 1])
case("aten::cross")(lambda r: [*same(r, [2, 3], [2, 3]), 1])


@case("torchvision::nms")
def _nms(r):
    count = r.int(0, 8)
    corners = r.filled([count, 2], torch.float32, 0, 6)
    boxes = torch.cat([corners, corners + r.filled([count, 2], torch.float32, 0.5, 4)], 1)
    return [boxes, r.filled([count], torch.float32, 0, 1), r.pick(0.3, 0.5, 0.7)]


@case("torchvision::roi_align")
def _roi_align(r):
    count = r.int(1, 3)
    corners = r.filled([count, 2], torch.float32, 0, 6)
    boxes = torch.cat([r.filled([count, 1], torch.int64, 0, 1).float(), corners,
                       corners + r.filled([count, 2], torch.float32, 0.5, 6)], 1)  # fmt: skip
    return [r.filled([2, 2, 8, 8], torch.float32), boxes, r.pick(1.0, 0.5), 2, 3, r.pick(-1, 2), r.chance(0.5)]

