"""Arguments of operators that give views, put tensors together, take parts out, or make tensors."""

import torch

from case_table import case
from inputs import ALL, FLOATS, INTS


def split_size(r, count):
    """A random shape of COUNT elements."""
    shape = []
    while count > 1 and r.chance(0.7):
        divisors = [d for d in range(1, count + 1) if count % d == 0]
        shape.append(r.pick(*divisors))
        count //= shape[-1]
    return [*shape, count]


@case("aten::view", "aten::reshape")
def _view(r):
    tensor = r.tensor()
    shape = split_size(r, tensor.numel())
    if shape and r.chance(0.4):
        shape[r.int(0, len(shape) - 1)] = -1
    if shape and r.chance(0.1):
        shape[r.int(0, len(shape) - 1)] = r.pick(-1, -2, 0, 7)
    return [tensor, shape]


case("aten::flatten.using_ints")(lambda r: [t := r.tensor(), r.dimension(t), r.dimension(t)])
case("aten::flatten.using_ints")(lambda r: [r.tensor(), 0, -1])
case("aten::flatten.using_ints")(lambda r: [r.tensor(r.shape(2, 4)), 1, -1])


@case("aten::unflatten.int")
def _unflatten(r):
    tensor = r.tensor(r.shape(1, 3))
    dimension = r.int(-tensor.dim(), tensor.dim() - 1)
    return [tensor, dimension, split_size(r, tensor.size(dimension)), None]


@case("aten::permute")
def _permute(r):
    tensor = r.tensor()
    order = r.random.sample(range(tensor.dim()), tensor.dim())
    order = [d - tensor.dim() if r.chance(0.2) else d for d in order]
    if order and r.chance(0.1):
        order[0] = r.pick(order[-1], 7)
    return [tensor, order[1:] if order and r.chance(0.05) else order]


case("aten::transpose.int", "aten::swapaxes")(lambda r: [t := r.tensor(), r.dimension(t), r.dimension(t)])
case("aten::transpose_")(lambda r: [t := r.target(), r.dimension(t), r.dimension(t)])
case("aten::t", "aten::numpy_T", "aten::t_")(lambda r: [r.target(r.shape(0, 3))])
case("aten::movedim.int")(lambda r: [t := r.tensor(), r.dimension(t), r.dimension(t)])


@case("aten::slice.Tensor")
def _slice(r):
    tensor = r.tensor()
    place = lambda: r.pick(None, r.int(-6, 6), r.int(-6, 6), 9223372036854775807)  # noqa: E731
    return [tensor, r.dimension(tensor), place(), place(), r.pick(1, 1, 2, 3, 0, -1)]


case("aten::narrow")(lambda r: [t := r.tensor(), r.dimension(t), r.int(-2, 4), r.int(-1, 4)])
case("aten::select.int")(lambda r: [t := r.tensor(), r.dimension(t), r.int(-5, 4)])


@case("aten::expand")
def _expand(r):
    tensor = r.tensor(r.narrowed(r.shape(1, 3)))
    shape = [r.int(1, 3) if size == 1 else r.pick(size, -1) for size in tensor.shape]
    shape = [*[r.int(1, 3) for _ in range(r.int(0, 2))], *shape]
    if r.chance(0.15) and shape:
        shape[r.int(0, len(shape) - 1)] = r.pick(-1, -2, 7)
    return [tensor, shape[1:] if r.chance(0.05) else shape, False]


case("aten::expand_as", "aten::view_as", "aten::reshape_as")(lambda r: [r.pair()[i] for i in (1, 0)])
case("aten::view_as", "aten::reshape_as")(lambda r: [r.tensor([2, 6]), r.tensor([3, 4])])
case("aten::unsqueeze")(lambda r: [t := r.tensor(), r.dimension(t.dim() + 1)])
case("aten::unsqueeze_")(lambda r: [t := r.target(), r.dimension(t.dim() + 1)])
case("aten::squeeze")(lambda r: [r.tensor([r.int(1, 2) for _ in range(r.int(0, 4))])])
case("aten::squeeze.dim")(lambda r: [t := r.tensor([r.int(1, 2) for _ in range(r.int(0, 4))]), r.dimension(t)])
case("aten::squeeze_")(lambda r: [r.target([r.int(1, 2) for _ in range(r.int(0, 4))])])
case("aten::squeeze_.dim")(lambda r: [t := r.target([1, 2, 1]), r.dimension(t)])
case("aten::split.Tensor")(lambda r: [t := r.tensor(), r.int(-1, 4), r.dimension(t)])
case("aten::chunk")(lambda r: [t := r.tensor(), r.int(0, 4), r.dimension(t)])
case("aten::tensor_split.sections")(lambda r: [t := r.tensor(), r.int(1, 4), r.dimension(t)])
case("aten::tensor_split.indices")(lambda r: [t := r.tensor(), [r.int(-2, 4), r.int(0, 4)], r.dimension(t)])
case("aten::unbind.int")(lambda r: [t := r.tensor(), r.dimension(t)])


@case("aten::split_with_sizes", "aten::split.sizes")
def _split_by_sizes(r):
    tensor = r.tensor(r.shape(1, 3))
    dimension = r.int(-tensor.dim(), tensor.dim() - 1)
    size = tensor.size(dimension)
    first = r.int(0, size)
    return [tensor, r.pick([first, size - first], [size], [first, size], [-1, size + 1]), dimension]


@case("aten::cat", "aten::concat")
def _cat(r):
    shape = r.shape(1, 3)
    dimension = r.int(-len(shape), len(shape) - 1)
    dtype = r.pick(*ALL)
    parts = []
    for _ in range(r.int(0 if r.chance(0.1) else 1, 3)):
        own = list(shape)
        own[dimension] = r.int(0, 3)
        if r.chance(0.05):
            own = r.pick([0], own[1:], [size + 1 for size in own])
        parts.append(r.tensor(own, dtype if r.chance(0.8) else r.pick(*ALL)))
    return [parts, dimension]


@case("aten::stack", "aten::hstack", "aten::vstack")
def _stack(r):
    shape = r.shape(0, 3)
    dtype = r.pick(*ALL)
    parts = [r.tensor(shape if r.chance(0.95) else r.shape(0, 3), dtype) for _ in range(r.int(1, 3))]
    return [parts, r.dimension(len(shape) + 1)]


@case("aten::repeat", "aten::tile")
def _repeat(r):
    tensor = r.tensor()
    counts = [r.int(0 if r.chance(0.1) else 1, 3) for _ in range(tensor.dim() + r.int(0, 1))]
    return [tensor, counts[1:] if counts and r.chance(0.05) else counts]


@case("aten::repeat_interleave.self_int")
def _repeat_interleave(r):
    tensor = r.tensor()
    return [tensor, r.int(0, 3), r.pick(None, r.dimension(tensor)), None]


@case("aten::roll")
def _roll(r):
    tensor = r.tensor()
    dimensions = r.dimensions(tensor)
    if not dimensions:
        return [tensor, [r.int(-6, 6)], []]
    return [tensor, [r.int(-6, 6) for _ in dimensions], dimensions]


case("aten::flip")(lambda r: [t := r.tensor(), r.dimensions(t)])
case("aten::size", "aten::dim", "aten::numel", "aten::len.Tensor", "aten::stride")(lambda r: [r.tensor()])
case("aten::size.int")(lambda r: [t := r.tensor(), r.dimension(t)])
case("aten::contiguous")(lambda r: [r.tensor(), 0])
case("aten::clone")(lambda r: [r.tensor(), r.pick(None, 0, 1)])
case("aten::detach", "aten::detach_", "aten::alias", "aten::resolve_conj", "aten::resolve_neg")(lambda r: [r.target()])
case("aten::tril", "aten::triu")(lambda r: [r.tensor(r.shape(1, 4)), r.int(-2, 2)])
case("aten::is_floating_point", "aten::is_complex", "prim::dtype", "prim::device", "prim::requires_grad",
     "prim::is_cuda", "prim::layout", "prim::is_quantized", "prim::is_nested", "prim::is_sparse",
     "aten::is_contiguous", "aten::is_nonzero", "prim::is_mkldnn", "prim::data", "prim::is_meta",
     "prim::is_mps", "prim::is_xpu")(lambda r: [r.tensor()])  # fmt: skip
case("aten::item", "aten::ScalarImplicit", "aten::Bool.Tensor", "aten::Int.Tensor", "aten::IntImplicit",
     "aten::Float.Tensor", "aten::FloatImplicit", "aten::is_nonzero")(
    lambda r: [r.tensor(r.pick([], [], [], [1], [2], [0]))])  # fmt: skip
case("aten::_local_scalar_dense")(lambda r: [r.tensor(r.pick([], [1], [2]))])

plain = [None, torch.device("cpu"), None]


def options(r):
    return [r.pick(None, r.dtype_code()), *plain]


case("aten::zeros", "aten::ones")(lambda r: [r.shape(), *options(r)])
case("aten::zeros", "aten::ones")(lambda r: [r.pick([-1], [2, -3], [1 << 40, 1 << 40], [1 << 45]), *options(r)])
case("aten::full")(lambda r: [r.shape(), r.number(), *options(r)])
case("aten::zeros_like", "aten::ones_like")(lambda r: [r.tensor(), *options(r), None])
case("aten::full_like")(lambda r: [r.tensor(), r.number(), *options(r), None])
case("aten::new_zeros", "aten::new_ones")(lambda r: [r.tensor(), r.shape(), *options(r)])
case("aten::new_full")(lambda r: [r.tensor(), r.shape(), r.number(), *options(r)])
case("aten::arange")(lambda r: [r.number(), *options(r)])
case("aten::arange.start")(lambda r: [r.number(), r.number(), *options(r)])
case("aten::arange.start_step")(lambda r: [r.number(), r.number(), r.pick(1, 2, -1, 0.5, 0), *options(r)])
case("aten::linspace")(lambda r: [r.number(), r.number(), r.int(-1, 6), r.pick(None, 6, 7), *plain])
case("aten::eye")(lambda r: [r.int(-1, 4), *options(r)])
case("aten::eye.m")(lambda r: [r.int(0, 4), r.int(0, 4), *options(r)])
case("aten::scalar_tensor")(lambda r: [r.number(), *options(r)])
case("aten::tensor.int")(lambda r: [r.int(-5, 5), r.pick(None, r.dtype_code()), None, False])
case("aten::tensor.float")(lambda r: [r.float(), r.pick(None, 6, 7, 5), None, False])
case("aten::tensor.bool")(lambda r: [r.chance(0.5), r.pick(None, r.dtype_code()), None, False])
LISTS = [[1, 2, 3], [1.5, -2.0], [True, False], [[1, 2], [3, 4]], [[1.0], [2.0]], [[1, 2], [3]]]
case("aten::tensor")(lambda r: [r.pick(*LISTS), r.pick(None, r.dtype_code()), None, False])
case("aten::as_tensor.list")(lambda r: [r.pick(*LISTS), r.pick(None, r.dtype_code()), None])

case("aten::to.dtype")(lambda r: [r.tensor(), r.dtype_code(), False, r.chance(0.5), None])
case("aten::to.device")(lambda r: [r.tensor(), torch.device("cpu"), r.dtype_code(), False, r.chance(0.5), None])
case("aten::to.other")(lambda r: [r.tensor(), r.tensor(), False, r.chance(0.5), None])
case("aten::to.prim_Device")(lambda r: [r.tensor(), torch.device("cpu"), r.pick(None, r.dtype_code()), False, False])
case("aten::to.prim_dtype")(lambda r: [r.tensor(), r.pick(None, r.dtype_code()), False, False])
case("aten::to.prim_other")(lambda r: [r.tensor(), False, False])
case("aten::type_as")(lambda r: [r.tensor(), r.tensor()])
case("aten::to.dtype_layout")(lambda r: [r.tensor(), *options(r), False, False, None])
case("aten::_to_copy")(lambda r: [r.tensor(), *options(r), False, None])
case("aten::cpu")(lambda r: [r.tensor()])


def index(r, shape, size):
    made = r.tensor(shape, torch.int64, -size if size else 0, max(size - 1, 0), plain=r.chance(0.5))
    return made + (size + 1) if r.chance(0.03) else made


def index_list(r, shape):
    """A list of indices for the dimensions of a tensor, some left out."""
    wide = r.shape(0, 2, 3)
    found = []
    for size in shape[: r.int(0, len(shape))]:
        if r.chance(0.35):
            found.append(None)
        elif r.chance(0.15):
            found.append(r.tensor([size], torch.bool))
        else:
            found.append(index(r, r.narrowed(wide), size))
    return found if any(each is not None for each in found) else [index(r, wide, shape[0])]


@case("aten::index.Tensor")
def _index(r):
    shape = r.shape(1, 4)
    return [r.tensor(shape), index_list(r, shape)]


@case("aten::index.Tensor")
def _index_by_mask(r):
    shape = r.shape(1, 3)
    return [r.tensor(shape), [r.tensor(shape[: r.int(1, len(shape))], torch.bool)]]


@case("aten::index_put_", "aten::index_put", "aten::_index_put_impl_")
def _index_put(r):
    shape = [r.int(1, 4) for _ in range(r.int(1, 3))]
    tensor = r.target(shape, r.pick(*FLOATS, torch.int64))
    indices = [index(r, [r.int(1, 3)], shape[0])]
    if len(shape) > 1 and r.chance(0.4):
        indices.append(index(r, list(indices[0].shape), shape[1]))
    if r.chance(0.2):
        indices = [r.tensor(shape, torch.bool)]
        return [tensor, indices, r.tensor([], tensor.dtype), False]
    accumulates = r.chance(0.5)
    values = r.tensor(r.pick([], [1]), tensor.dtype)
    if r.chance(0.4) and accumulates:
        values = r.tensor([*indices[0].shape, *shape[len(indices) :]], tensor.dtype)
    return [tensor, indices, values, accumulates]


@case("aten::index_select")
def _index_select(r):
    tensor = r.tensor(r.shape(1, 3))
    dimension = r.int(-tensor.dim(), tensor.dim() - 1)
    return [tensor, dimension, index(r, [r.int(0, 4)], tensor.size(dimension)).abs()]


@case("aten::gather")
def _gather(r):
    shape = [r.int(1, 4) for _ in range(r.int(1, 3))]
    dimension = r.int(-len(shape), len(shape) - 1)
    wanted = [r.int(1, size) for size in shape]
    wanted[dimension] = r.int(1, 5)
    return [r.tensor(shape), dimension, index(r, wanted, shape[dimension]).abs() % shape[dimension], False]


@case("aten::scatter.src", "aten::scatter_.src", "aten::scatter_add", "aten::scatter_add_")
def _scatter(r):
    shape = [r.int(1, 4) for _ in range(r.int(1, 3))]
    dimension = r.int(-len(shape), len(shape) - 1)
    wanted = [r.int(1, size) for size in shape]
    order = torch.randperm(shape[dimension], generator=r.generator)[: wanted[dimension]]
    view = [1] * len(shape)
    view[dimension] = -1
    places = order.view(view).expand(wanted)
    dtype = r.pick(torch.float32, torch.float64, torch.int64)
    return [r.target(shape, dtype), dimension, places, r.tensor(wanted, dtype)]


case("aten::scatter.value", "aten::scatter_.value")(lambda r: [*_scatter(r)[:3], r.number()])


@case("aten::masked_select")
def _masked_select(r):
    shape = r.shape()
    return [r.tensor(shape), r.tensor(r.narrowed(shape), torch.bool)]


case("aten::nonzero")(lambda r: [r.tensor()])
case("aten::embedding")(lambda r: [w := r.tensor([r.int(1, 5), r.int(1, 4)], r.pick(*FLOATS)),
                                  index(r, r.shape(0, 3), w.size(0)).abs() % w.size(0), -1, False, False])  # fmt: skip


@case("aten::embedding_bag.padding_idx", "aten::embedding_bag")
def _embedding_bag(r):
    weight = r.main_tensor([r.int(1, 5), r.int(1, 4)])
    places = r.tensor([r.int(1, 6)], torch.int64, 0, weight.size(0) - 1, plain=True)
    offsets = torch.tensor(sorted({0, r.int(0, len(places)), r.int(0, len(places))}))
    return [weight, places, offsets, False, r.pick(0, 1), False, None, False, None]


@case("aten::meshgrid.indexing")
def _meshgrid(r):
    dtype = r.pick(*ALL)
    return [[r.tensor(r.shape(0, 1), dtype) for _ in range(r.int(1, 3))], r.pick("ij", "xy", "ij", "no")]


case("aten::meshgrid")(lambda r: [[r.tensor(r.shape(0, 1), torch.float32) for _ in range(r.int(1, 3))]])
case("aten::broadcast_tensors")(lambda r: [list(r.pair())])
case("aten::broadcast_to")(lambda r: [r.tensor([1, 3]), r.pick([2, 3], [4, 2, 3], [3, 1])])
case("aten::one_hot")(lambda r: [r.tensor(r.shape(1, 2), torch.int64, 0, 3), r.pick(-1, 4, 5)])
case("aten::bincount")(lambda r: [r.tensor([r.int(0, 6)], torch.int64, 0, 4), None, r.int(0, 6)])


@case("aten::unfold")
def _unfold(r):
    tensor = r.tensor(r.shape(1, 3))
    return [tensor, r.int(-tensor.dim(), tensor.dim() - 1), r.int(0, 3), r.int(1, 2)]


@case("aten::as_strided")
def _as_strided(r):
    return [r.tensor([4, 5], plain=True), [2, 3], r.pick([1, 2], [5, 1], [9, 9]), r.pick(None, 0, 3)]


case("aten::pixel_shuffle")(lambda r: [r.tensor([*r.shape(0, 1), r.pick(4, 8, 9), 2, 3]), r.pick(2, 2, 3)])
case("aten::pixel_unshuffle")(lambda r: [r.tensor([*r.shape(0, 1), 2, 4, 4]), r.pick(2, 4, 3)])
case("aten::channel_shuffle")(lambda r: [r.tensor([2, 6, 2, 2]), r.pick(2, 3, 4)])


def padding_for(r, count):
    return [r.int(-1 if r.chance(0.1) else 0, 2) for _ in range(2 * count)]


@case("aten::constant_pad_nd")
def _constant_pad(r):
    tensor = r.tensor(r.shape(1, 4))
    return [tensor, padding_for(r, r.int(0, tensor.dim())), r.number()]


@case("aten::pad")
def _pad(r):
    mode = r.pick("constant", "constant", "reflect", "replicate", "circular")
    if mode == "constant":
        tensor = r.tensor(r.shape(1, 4))
        return [tensor, padding_for(r, r.int(0, tensor.dim())), mode, r.pick(None, 0.0, 1.5)]
    count = r.int(1, 3)
    tensor = r.main_tensor([r.int(1, 2) for _ in range(r.int(1 if mode != "circular" else 2, 2))]
                           + [r.int(3, 5) for _ in range(count)])  # fmt: skip
    return [tensor, [r.int(0, 2) for _ in range(2 * count)], mode, None]


@case("aten::im2col")
def _im2col(r):
    tensor = r.main_tensor([*r.shape(0, 1), 2, 5, 6])
    return [tensor, [2, r.int(1, 3)], [r.int(1, 2), 1], [r.int(0, 1), 1], [1, r.int(1, 2)]]

