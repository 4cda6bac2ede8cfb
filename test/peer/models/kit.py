"""What the files of models share: the list they add themselves to, and ways to make a module.

A file of models is a group. Each model is a function, named for what it shows, that returns a
scripted module or a Model that also says how it is run:

    @model
    def nested_loops():
        return Model(torch.jit.script(NestedLoops()), runs=[(x,)], fails=[(too_wide,)])
"""

import io
import linecache
import os
import sys
import types
from dataclasses import dataclass, field

import torch

REGISTERED = []  # (name, function, loadable) in the order of the file


@dataclass
class Model:
    module: torch.jit.ScriptModule
    runs: list = field(default_factory=list)  # tuples of inputs that work
    fails: list = field(default_factory=list)  # tuples of inputs that end in an exception
    method: str = "forward"  # what `runs` and `fails` call
    mobile: bool = True  # False where PyTorch has no mobile archive for it: .pt only


def model(function=None, *, loadable=True, name=None):
    """Adds a model. Not `loadable`: PyTorch writes its archive and then cannot load it."""

    def add(function):
        REGISTERED.append((name or function.__name__, function, loadable))
        return function

    return add(function) if function else add


def text_module(type_name, text, **members):
    """A module of type TYPE_NAME whose methods are TEXT, from the file "<string>" as traces say."""

    def __init__(self):
        super(torch.jit.ScriptModule, self).__init__()
        for name, value in members.items():
            setattr(self, name, value)

    kind = type(type_name, (torch.jit.ScriptModule,), {"__init__": __init__, "__module__": "peer"})
    module = kind()
    module.define(text)
    return module


def source_module(path, text):
    """Imports TEXT as if it were the file PATH. Line ends, tabs and a missing end stay as is."""
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    name = os.path.splitext(os.path.basename(path))[0].replace(" ", "_").replace("-", "_")
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    exec(compile(text, path, "exec"), module.__dict__)
    return module


def reload(module):
    """MODULE after a `.pt` save and load, with the sources' names and texts from the archive."""
    stream = io.BytesIO()
    torch.jit.save(module, stream)
    stream.seek(0)
    return torch.jit.load(stream)


def lower(module, backend="handrail_peer_backend", **spec):
    """The whole of a scripted module given to a backend, the methods that SPEC names."""
    return torch._C._jit_to_backend(backend, module, spec or {"forward": ""})


def lower_parts(module, paths, backend="handrail_peer_backend", **spec):
    """MODULE with the submodules of the dotted PATHS lowered, the rest untouched."""
    return torch._C._jit_to_backend_selective(
        module, lambda part: lower(part, backend, **spec), list(paths)
    )
