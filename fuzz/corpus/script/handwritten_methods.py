
    def forward(self, x, *, k: int = 0x1F):
        # type: (Tensor, int) -> Tensor
        """A docstring
  that goes on."""
        values = [i ** 2 for i in range(k)]  # squares
        names = {"a": 1, 'b': -2.5e-3}
        if k is not None and not x in values or k < 3:
            x += values[0] @ x[..., 1:, ::2, None]
        elif ~k:
            x = (x
                 + 1j) \
                // 2
        else:
            while True:
                break
        with torch.no_grad() as g, h:
            assert x.sum() > 0, f"sum {x.sum()} {{of}} {names['a']}"
        for i, (a, b) in enumerate(zip(values, names)): # type comment next
            y = [] # type: List[int]
            del values[i]
        return (x,) if k else ()
