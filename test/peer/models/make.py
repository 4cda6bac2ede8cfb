#!/usr/bin/python3
"""Makes the archives of one group of models:  make.py GROUP OUT_FOLDER PEER_BACKEND_LIBRARY

OUT_FOLDER then holds for each model NAME: NAME.pt, NAME.ptl with debug info where PyTorch has a
mobile archive for it, NAME.run0.inputs and NAME.fail0.inputs and so on, NAME.stripped.ptl (the
handles kept, what they stand for removed) for models that fail, NAME.reloaded.ptl (saved after a load
of the .pt) where PyTorch cannot load NAME.ptl, and NAME.json, which says all this.
"""

import importlib
import json
import os
import pickle
import sys
import time
import types
import warnings
import zipfile

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kit  # noqa: E402


def save_mobile(module, path):
    module._save_for_lite_interpreter(path, _save_mobile_debug_info=True)


def strip(source, target):
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            if not name.endswith((".debug_pkl", "/callstack_debug_map.pkl")):
                new.writestr(zipfile.ZipInfo(name), old.read(name))


class InputPickler(pickle._Pickler):
    """Writes lists and dicts of one element as those of many: PyTorch's C++ reads no others."""

    def _batch_appends(self, items):
        self._batch(((item,) for item in items), pickle.APPENDS)

    def _batch_setitems(self, items):
        self._batch(items, pickle.SETITEMS)

    def _batch(self, items, opcode):
        items = list(items)
        if not items:
            return
        self.write(pickle.MARK)
        for parts in items:
            for part in parts:
                self.save(part)
        self.write(opcode)


INPUT_PICKLING = types.SimpleNamespace(__name__="pickle", Pickler=InputPickler)


def save_inputs(folder, name, kind, inputs):
    paths = []
    for index, values in enumerate(inputs):
        paths.append(f"{name}.{kind}{index}.inputs")
        path = os.path.join(folder, paths[-1])
        torch.save(tuple(values), path, pickle_module=INPUT_PICKLING)
    return paths


def save_reloaded(module, folder, path):
    try:
        reloaded = kit.reload(module)
    except (RuntimeError, torch.jit.Error):
        return None  # nor can PyTorch load the .pt
    save_mobile(reloaded, os.path.join(folder, path))
    return path


def make(folder, group, name, function, loadable):
    torch.manual_seed(1)
    built = function()
    if not isinstance(built, kit.Model):
        built = kit.Model(built)
    about = {
        "group": group,
        "name": name,
        "pt": f"{name}.pt",
        "archive": f"{name}.ptl" if built.mobile else None,
        "loadable": loadable,
        "stripped": f"{name}.stripped.ptl" if built.mobile and built.fails else None,
        "reloaded": None,
        "method": built.method,
        "runs": save_inputs(folder, name, "run", built.runs),
        "fails": save_inputs(folder, name, "fail", built.fails),
    }
    torch.jit.save(built.module, os.path.join(folder, about["pt"]))
    if about["archive"]:
        save_mobile(built.module, os.path.join(folder, about["archive"]))
    if about["stripped"]:
        strip(os.path.join(folder, about["archive"]), os.path.join(folder, about["stripped"]))
    if not loadable:
        about["reloaded"] = save_reloaded(built.module, folder, f"{name}.reloaded.ptl")
    with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as file:
        json.dump(about, file, indent=1)


def main():
    group, folder, backend = sys.argv[1:]
    torch.set_num_threads(1)
    torch.ops.load_library(os.path.abspath(backend))
    # Without this PyTorch writes archives whose interface calls fail on every input.
    torch._C._enable_mobile_interface_call_export()
    warnings.simplefilter("ignore")
    os.makedirs(folder, exist_ok=True)
    importlib.import_module(group)
    failed = 0
    for name, function, loadable in kit.REGISTERED:
        start = time.monotonic()
        try:
            make(folder, group, name, function, loadable)
        except Exception as error:
            failed += 1
            print(f"{group}/{name}: not made: {type(error).__name__}: {error}", file=sys.stderr)
        if time.monotonic() - start > 5:
            print(f"{group}/{name}: {time.monotonic() - start:.1f} s", file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
