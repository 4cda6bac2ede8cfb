class Block(Module):
  __parameters__ = ["weight", ]
  __buffers__ = []
  __annotations__ = []
  __annotations__["0"] = __torch__.___torch_mangle_3.Leaf
  training : bool
  weight : Tensor
  __forward_hooks__ : List[str]
  def forward(self: __torch__.Block,
    x: Tensor,
    scale: Optional[float]=None) -> Tuple[Tensor, NoneType]:
    _0 = uninitialized(Tensor)
    leaf = getattr(self, "0")
    if torch.__isnot__(scale, None):
      scale0 = unchecked_cast(float, scale)
      _1 = torch.mul(x, scale0)
    else:
      ops.prim.RaiseException("no \"scale\"\n\303\251")
      _1 = _0
    a, b, = (leaf).forward(_1, )
    c = annotate(List[int], [])
    for _2 in range(torch.len(c)):
      d = torch.append(c, 1.0000000000000001e-05)
    return (torch.add(a, b, alpha=-1), None)
class Choice(Enum):
  one : int = 1
  two : int = 2
class Pair(NamedTuple):
  first : Tensor
  second : Optional[Future[Dict[str, Tensor]]]
