"""Random values: tensors of all layouts and element types, numbers, lists."""

import random

import torch

from protocol import CODES

FLOATS = [torch.float32, torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTS = [torch.int64, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
ALL = [*FLOATS, *FLOATS, *INTS, torch.bool, torch.bool]
# What PyTorch's larger operators compute in.
MAIN = [torch.float32, torch.float32, torch.float32, torch.float64]


class Inputs:
    """A source of random values that gives the same ones for the same seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.generator = torch.Generator().manual_seed(self.random.randrange(1 << 30))

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, *choices):
        return self.random.choice(choices)

    def int(self, low, high):
        return self.random.randint(low, high)

    def shape(self, low=0, high=4, largest=5):
        smallest = 0 if self.chance(0.08) else 1
        return [self.int(smallest, largest) for _ in range(self.int(low, high))]

    def narrowed(self, shape):
        """A shape that broadcasts to SHAPE, or (seldom) does not."""
        kept = shape[self.int(0, len(shape)) if self.chance(0.4) else 0 :]
        kept = [1 if self.chance(0.25) else size for size in kept]
        if kept and self.chance(0.04):
            kept[self.int(0, len(kept) - 1)] += 1
        return kept

    def filled(self, shape, dtype, low=-4.0, high=4.0):
        if dtype == torch.bool:
            return torch.rand(shape, generator=self.generator) < 0.5
        if dtype.is_floating_point:
            values = torch.rand(shape, generator=self.generator, dtype=torch.float64)
            return (values * (high - low) + low).to(dtype)
        bottom = max(int(low), 0) if dtype == torch.uint8 else int(low)
        return torch.randint(bottom, max(int(high), bottom) + 1, shape, dtype=dtype,
                             generator=self.generator)  # fmt: skip

    def tensor(self, shape=None, dtype=None, low=-4.0, high=4.0, plain=False):
        """A tensor, often a view with gaps, turned, repeated or at an offset."""
        shape = self.shape() if shape is None else list(shape)
        dtype = dtype or self.pick(*ALL)
        kind = "plain" if plain else self.pick("plain", "plain", "turned", "steps", "offset", "repeated")
        if kind == "turned" and len(shape) > 1:
            order = self.random.sample(range(len(shape)), len(shape))
            made = self.filled([shape[i] for i in order], dtype, low, high)
            return made.permute([order.index(i) for i in range(len(shape))])
        if kind == "steps" and shape:
            dimension = self.int(0, len(shape) - 1)
            wide = list(shape)
            wide[dimension] = wide[dimension] * 2
            places = [slice(None)] * len(shape)
            places[dimension] = slice(None, None, 2)
            return self.filled(wide, dtype, low, high)[tuple(places)]
        if kind == "offset" and shape:
            wide = [shape[0] + 1, *shape[1:]]
            return self.filled(wide, dtype, low, high)[1:]
        if kind == "repeated" and shape and shape[0] > 0:
            return self.filled([1, *shape[1:]], dtype, low, high).expand(shape)
        return self.filled(shape, dtype, low, high)

    def target(self, shape=None, dtype=None, low=-4.0, high=4.0):
        """A tensor that may be written to: no element is there twice."""
        made = self.tensor(shape, dtype, low, high)
        return made.clone() if 0 in made.stride() else made

    def float_tensor(self, shape=None, low=-4.0, high=4.0):
        return self.tensor(shape, self.pick(*FLOATS), low, high)

    def main_tensor(self, shape=None, low=-4.0, high=4.0):
        return self.tensor(shape, self.pick(*MAIN), low, high)

    def pair(self, dtypes=ALL, low=-4.0, high=4.0):
        """Two tensors that broadcast."""
        shape = self.shape()
        first = self.pick(*dtypes)
        second = first if self.chance(0.6) else self.pick(*dtypes)
        left, right = shape, self.narrowed(shape)
        if self.chance(0.3):
            left, right = right, left
        return self.tensor(left, first, low, high), self.tensor(right, second, low, high)

    def number(self):
        # No bools: on their way to an operator, Python's become ints.
        return self.pick(self.int(-5, 5), self.int(-5, 5), self.random.uniform(-4, 4), 0, 2.0, 0.5)

    def float(self):
        return self.pick(self.random.uniform(-4, 4), 0.0, 1.0, -2.0, 0.5, float("inf"))

    def dimension(self, tensor_or_count):
        count = tensor_or_count if isinstance(tensor_or_count, int) else tensor_or_count.dim()
        if self.chance(0.05):
            return self.pick(count, -count - 1)
        return self.int(-max(count, 1), max(count, 1) - 1)

    def dimensions(self, tensor):
        """Some of a tensor's dimensions."""
        count = tensor.dim()
        chosen = self.random.sample(range(count), self.int(0, count))
        return [d - count if self.chance(0.3) else d for d in chosen]

    def dtype_code(self):
        return CODES[self.pick(*ALL)]

    def word(self):
        return self.pick("", "a", "b", "ab", "aab", " a b ", "Hello", "x,y,z", "1", "-12", "2.5")
