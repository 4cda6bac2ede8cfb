"""Where kernels are known to differ from PyTorch's operators, and why."""

from protocol import Failure

# Operators whose results are arbitrary, or that the interpreter runs itself: their unit tests are
# in src/kernels/.
NOT_COMPARED = frozenset(
    (
        "aten::bernoulli_.float",
        "aten::eq.enum",
        "aten::ne.enum",
        "aten::dict",
        "aten::empty.memory_format",
        "aten::empty_like",
        "aten::is_autocast_enabled",
        "aten::is_grad_enabled",
        "aten::new_empty",
        "aten::rand",
        "aten::rand_like",
        "aten::randint",
        "aten::randint.low",
        "aten::randn",
        "aten::randn_like",
        "aten::randperm",
        "aten::uniform_",
        "aten::normal_",
        "aten::warn",
        "prim::Print",
        "prim::TupleUnpack",
        "prim::unchecked_cast",
    )
)

# Both fail; PyTorch's message names internals of its own, or comes from another check.
OTHER_WORDS = frozenset(
    (
        "aten::_convolution",
        "aten::_convolution.deprecated",
        "aten::_upsample_nearest_exact1d.vec",
        "aten::_upsample_nearest_exact2d.vec",
        "aten::_upsample_nearest_exact3d.vec",
        "aten::addcdiv",
        "aten::addcmul",
        "aten::addmm",
        "aten::as_tensor.list",
        "aten::clamp_max_",
        "aten::clamp_min_",
        "aten::conv1d",
        "aten::conv1d.padding",
        "aten::conv2d",
        "aten::conv2d.padding",
        "aten::conv3d",
        "aten::conv3d.padding",
        "aten::conv_transpose1d",
        "aten::conv_transpose2d.input",
        "aten::conv_transpose3d.input",
        "aten::convolution",
        "aten::expand",
        "aten::index.Tensor",
        "aten::index_select",
        "aten::masked_select",
        "aten::max_pool1d",
        "aten::narrow",
        "aten::ones",
        "aten::percentFormat",
        "aten::pow_.Scalar",
        "aten::repeat_interleave.self_int",
        "aten::tensor",
        "aten::upsample_bicubic2d.vec",
        "aten::upsample_bilinear2d.vec",
        "aten::upsample_linear1d.vec",
        "aten::upsample_nearest1d.vec",
        "aten::upsample_nearest2d.vec",
        "aten::upsample_nearest3d.vec",
        "aten::upsample_trilinear3d.vec",
        "aten::zeros",
        "prim::max.self_float",
    )
)
# PyTorch's result or failure is one that Handrail does not repeat.
OTHER_RESULTS = {
    "aten::_convolution.deprecated": "PyTorch refuses results without elements",
    "aten::_native_multi_head_attention": "PyTorch refuses masks of rows that are not one for each of the batch",
    "aten::_transformer_encoder_layer_fwd": "PyTorch refuses masks of rows that are not one for each of the batch",
    "aten::_unique2": "PyTorch gives places that were not asked for",
    "aten::arange": "PyTorch rounds the end to a type of integers first",
    "aten::arange.start_step": "PyTorch rounds the step to a type of integers first",
    "aten::avg_pool3d": "PyTorch refuses windows larger than the input where sizes are rounded up",
    "aten::conv3d.padding": "PyTorch takes a bias of another type",
    "aten::conv_transpose1d": "PyTorch refuses results without elements",
    "aten::embedding_bag.padding_idx": "the second to fourth result, which only training uses, differ",
    "aten::find": "a begin behind the text's end",
    "aten::logsumexp": "PyTorch refuses an empty list of dimensions",
    "aten::percentFormat": "PyTorch knows fewer letters",
    "aten::replace": "an empty part to be replaced, with which PyTorch does not end",
    "aten::str": "large whole numbers have a point in PyTorch's text",
    "aten::sum.int": "PyTorch sums in 32 bits",
    "aten::topk": "PyTorch gives what is in memory for none of a number",
}
# PyTorch rounds its intermediate results to the 8 or 11 bits of these types.
OF_HALF_TYPES = frozenset(("aten::gelu",))
HALF_TYPES = frozenset(("torch.float16", "torch.bfloat16"))


def is_known(name, expected, actual):
    if isinstance(expected, Failure) and isinstance(actual, Failure):
        return name in OTHER_WORDS or name in OTHER_RESULTS
    if name in OF_HALF_TYPES and not isinstance(expected, Failure):
        return str(expected[0][0].dtype) in HALF_TYPES
    return name in OTHER_RESULTS
