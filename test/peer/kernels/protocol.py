"""Values on the way to run_kernels and back (see run_kernels.cc for the frames)."""

import struct
import subprocess

import torch

# The numbers are PyTorch's own codes of element types.
DTYPES = {
    0: torch.uint8,
    1: torch.int8,
    2: torch.int16,
    3: torch.int32,
    4: torch.int64,
    5: torch.float16,
    6: torch.float32,
    7: torch.float64,
    11: torch.bool,
    15: torch.bfloat16,
}
CODES = {dtype: code for code, dtype in DTYPES.items()}


class Failure:
    """What an operator gives that fails: the first line of its message."""

    def __init__(self, message):
        self.message = message.strip().split("\n", maxsplit=1)[0]

    def __repr__(self):
        return f"fails: {self.message}"


def _bytes_of(tensor):
    if tensor.numel() == 0:
        return b""
    return tensor.contiguous().view(-1).view(torch.uint8).numpy().tobytes()


class _Encoder:
    def __init__(self):
        self.buffers = []
        self.places = {}
        self.values = []

    def add(self, value):
        out = self.values
        if value is None:
            out.append(b"N")
        elif isinstance(value, bool):
            out.append(struct.pack("<cB", b"b", value))
        elif isinstance(value, int):
            out.append(struct.pack("<cq", b"i", value))
        elif isinstance(value, float):
            out.append(struct.pack("<cd", b"f", value))
        elif isinstance(value, str):
            text = value.encode()
            out.append(struct.pack("<cI", b"s", len(text)) + text)
        elif isinstance(value, torch.device):
            text = str(value).encode()
            out.append(struct.pack("<cI", b"D", len(text)) + text)
        elif isinstance(value, torch.Tensor):
            self._add_tensor(value)
        elif isinstance(value, (list, tuple)):
            for element in value:
                self.add(element)
            out.append(struct.pack("<cI", b"L" if isinstance(value, list) else b"U", len(value)))
        elif isinstance(value, dict):
            for key, element in value.items():
                self.add(key)
                self.add(element)
            out.append(struct.pack("<cI", b"M", len(value)))
        else:
            raise TypeError(f"no encoding of {type(value)}")

    def _add_tensor(self, tensor):
        storage = tensor.storage()
        place = self.places.get(storage.data_ptr())
        if place is None or storage.size() == 0:
            place = len(self.buffers)
            self.buffers.append(_bytes_of(torch.empty(0, dtype=tensor.dtype).set_(storage)))
            self.places[storage.data_ptr()] = place
        self.values.append(
            struct.pack(f"<cBI{2 * tensor.dim()}q", b"T", CODES[tensor.dtype], tensor.dim(),
                        *tensor.size(), *tensor.stride())
            + struct.pack("<qI", tensor.storage_offset() if tensor.numel() else 0, place)
        )  # fmt: skip


def encode(name, arguments):
    encoder = _Encoder()
    for argument in arguments:
        encoder.add(argument)
    text = name.encode()
    parts = [struct.pack("<I", len(text)), text, struct.pack("<I", len(encoder.buffers))]
    for buffer in encoder.buffers:
        parts += [struct.pack("<I", len(buffer)), buffer]
    return b"".join(parts + encoder.values)


class _Decoder:
    def __init__(self, data):
        self.data = data
        self.at = 0
        self.stack = []

    def number(self, letter):
        size = struct.calcsize("<" + letter)
        self.at += size
        return struct.unpack("<" + letter, self.data[self.at - size : self.at])[0]

    def text(self):
        size = self.number("I")
        self.at += size
        return self.data[self.at - size : self.at].decode()

    def take(self, count):
        taken = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return taken

    def step(self):
        kind = chr(self.number("B"))
        if kind == "N":
            self.stack.append(None)
        elif kind == "b":
            self.stack.append(self.number("B") != 0)
        elif kind == "i":
            self.stack.append(self.number("q"))
        elif kind == "f":
            self.stack.append(self.number("d"))
        elif kind == "s":
            self.stack.append(self.text())
        elif kind == "D":
            self.stack.append(torch.device(self.text()))
        elif kind == "T":
            self.stack.append(self._tensor())
        elif kind == "L":
            self.stack.append(self.take(self.number("I")))
        elif kind == "U":
            self.stack.append(tuple(self.take(self.number("I"))))
        elif kind == "M":
            pairs = self.take(2 * self.number("I"))
            self.stack.append(dict(zip(pairs[::2], pairs[1::2])))
        else:
            raise ValueError(f"a value of {self.text()}")

    def _tensor(self):
        dtype = DTYPES[self.number("B")]
        dimensions = self.number("I")
        sizes = [self.number("q") for _ in range(dimensions)]
        strides = tuple(self.number("q") for _ in range(dimensions))
        count = 1
        for size in sizes:
            count *= size
        size = count * torch.empty(0, dtype=dtype).element_size()
        self.at += size
        data = bytearray(self.data[self.at - size : self.at])
        if not data:
            tensor = torch.empty(sizes, dtype=dtype)
        else:
            tensor = torch.frombuffer(data, dtype=torch.uint8).view(dtype).view(sizes)
        tensor.strides_of_kernel = strides
        return tensor


class Runner:
    """A running run_kernels."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def _ask(self, frame):
        self.process.stdin.write(struct.pack("<I", len(frame)) + frame)
        self.process.stdin.flush()
        head = self.process.stdout.read(4)
        if len(head) != 4:
            said = self.process.stderr.read().decode(errors="replace")
            raise RuntimeError(f"run_kernels ended: {said[:3000]}")
        return self.process.stdout.read(struct.unpack("<I", head)[0])

    def names(self):
        decoder = _Decoder(self._ask(struct.pack("<I", 0)))
        found = []
        while decoder.at < len(decoder.data):
            found.append(decoder.text())
        return found

    def run(self, frame):
        """Results and arguments after the call, or a Failure."""
        answer = self._ask(frame)
        if answer[:1] == b"e":
            return Failure(answer[1:].decode(errors="replace"))
        if answer[:1] == b"n":
            return Failure("there is no kernel")
        decoder = _Decoder(answer)
        decoder.at = 1
        results = decoder.number("I")
        decoder.number("I")
        while decoder.at < len(decoder.data):
            decoder.step()
        return decoder.stack[:results], decoder.stack[results:]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
