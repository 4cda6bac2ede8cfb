"""The debug records of a PyTorch archive, as far as comparisons need them: which handles it has."""

import io
import pickle
import zipfile


class _Unpickler(pickle.Unpickler):
    """Debug records hold numbers, texts, tuples and lists of numbers: nothing that runs code."""

    def find_class(self, module, name):
        if (module, name) == ("torch.jit._pickle", "build_intlist"):
            return list
        raise pickle.UnpicklingError(f"unexpected {module}.{name} in a debug record")


def named_record(path, name):
    """The record NAME with its full name in the archive, or (None, ()) where there is none."""
    with zipfile.ZipFile(path) as archive:
        for full_name in archive.namelist():
            if full_name.split("/", 1)[-1] == name:
                return full_name, _Unpickler(io.BytesIO(archive.read(full_name))).load()
    return None, ()


def pickled(value):
    """VALUE as a record that PyTorch reads."""
    return pickle.dumps(value, protocol=2)


def function_handles(path):
    """The handles of each function's instructions, in order: [(function, [handle, ...]), ...]."""
    rows = named_record(path, "mobile_debug_handles.pkl")[1][1:]
    return [(name, handles) for name, ((_, (handles,)),) in rows]


def debug_map(path):
    """Handle → (source range tag, node name, call stack)."""
    return {row[0]: row[1:] for row in named_record(path, "callstack_debug_map.pkl")[1]}


def all_handles(path):
    """Every handle that the archive knows or uses, ascending."""
    handles = set(debug_map(path))
    for _, used in function_handles(path):
        handles.update(used)
    return sorted(handles)
