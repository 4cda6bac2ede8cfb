#!/usr/bin/python3
"""Makes the archives of this folder with Debian's PyTorch 1.13:

    cd test/data && ./make_fixtures.py LIBHANDRAIL_PEER_BACKEND_SO

The library is built by test/peer (CMakeLists.txt there). Every model comes from the sources in this
folder, so no archive holds anyone else's code. One process makes them all in this order, so that
PyTorch's handles, which count up from 0 in a process, are the same each time; from the second
archive on a handle is never also an instruction's position.
"""

import linecache
import os
import sys
import types
import zipfile

import torch
from torch.jit.mobile import _load_for_lite_interpreter


def load_source(name):
    """Imports NAME.py of this folder so that archives name it just so, without a directory."""
    path = name + ".py"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    exec(compile(text, path, "exec"), module.__dict__)
    return module


def save(module, path, debug=True, flatbuffer=False):
    module._save_for_lite_interpreter(
        path, _save_mobile_debug_info=debug, _use_flatbuffer=flatbuffer
    )


def failure(path, *inputs):
    """The text of the exception that the model in PATH ends with."""
    try:
        _load_for_lite_interpreter(path)(*inputs)
    except RuntimeError as error:
        return str(error)
    raise AssertionError(f"{path}: expected to fail")


def lower(module, backend="handrail_peer_backend"):
    return torch._C._jit_to_backend(backend, module, {"forward": ""})


def strip(source, target):
    """SOURCE without its debug info: the handles stay, what they stand for goes."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            if not name.endswith((".debug_pkl", "/callstack_debug_map.pkl")):
                new.writestr(zipfile.ZipInfo(name), old.read(name))


def write_log(path, lines):
    """A log as a device would write it: LINES are (seconds, level, text of one or more lines)."""
    with open(path, "w", encoding="utf-8", newline="\n") as log:
        for seconds, level, text in lines:
            log.write(f"2024-03-09T11:42:{seconds:06.3f}Z {level} encoder-service: {text}\n")


def main():
    torch.ops.load_library(os.path.abspath(sys.argv[1]))
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    encoder = load_source("encoder")
    small = load_source("small")

    model = torch.jit.script(encoder.Encoder(2).eval())
    save(model, "model.ptl")
    strip("model.ptl", "model_stripped.ptl")
    save(model, "model_without_debug.ptl", debug=False)
    save(model, "model_flatbuffer.ptl", flatbuffer=True)
    model.save("model.pt")

    save(torch.jit.script(small.Double()), "double.ptl")
    save(lower(torch.jit.script(small.Shift())), "lowered.ptl")

    torch._C._enable_mobile_interface_call_export()
    save(torch.jit.script(small.Router()), "interface.ptl")

    odd = torch.ones(5, 2)
    write_log(
        "failing_log.txt",
        [
            (1.204, "INFO", "loaded model_stripped.ptl (5 kB) in 3 ms"),
            (1.391, "INFO", "request 1: 6 rows, done in 0.4 ms"),
            (2.017, "WARN", "request 2: failed: " + failure("model_stripped.ptl", odd)),
            (2.018, "INFO", "request 2: sent 500"),
            (2.844, "INFO", "request 3: 8 rows, done in 0.3 ms"),
        ],
    )


if __name__ == "__main__":
    main()
