#!/usr/bin/python3
"""How many bytes a handle takes:  table.py HANDRAIL FOLDER FILE...

FILE is an archive or a debug map. PyTorch's bytes are those of the debug records of an archive, as
they are in the file, compressed. What source text adds stands beside the deflated size of the texts.
"""

import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
import zlib


def handrail_json(handrail, *arguments):
    output = subprocess.run([handrail, *arguments], stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def is_debug_record(name):
    return name.endswith((".debug_pkl", "callstack_debug_map.pkl", "mobile_debug_handles.pkl"))


class PlainValues(pickle.Unpickler):
    """Debug records hold integers, texts, tuples and lists; the lists come through a helper."""

    def find_class(self, module, name):
        if (module, name) != ("torch.jit._pickle", "build_intlist"):
            raise pickle.UnpicklingError(f"{module}.{name}")
        return list


def source_texts(path):
    """The distinct source texts of an archive, in the order of its records."""
    texts = {}
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(".debug_pkl"):
                    _, lines, marks = PlainValues(io.BytesIO(archive.read(name))).load()
                    for _, ((indices, _, _), _, _), _ in marks:
                        texts["".join(lines[i] for i in indices)] = None
    return list(texts)


def pytorch_bytes(path):
    if not zipfile.is_zipfile(path):
        return None
    with zipfile.ZipFile(path) as archive:
        return sum(i.compress_size for i in archive.infolist() if is_debug_record(i.filename))


def main():
    handrail, folder, *files = sys.argv[1:]
    rows = [("", "handles", "bytes/handle", "PyTorch", "text adds", "texts deflated")]
    for path in files:
        name = os.path.splitext(os.path.basename(path))[0]
        sizes = {}
        for option in (["--no-source"], []):
            out = os.path.join(folder, "sizes.hdm")
            subprocess.run([handrail, "map", path, "-o", out, *option], check=True,
                           stderr=subprocess.DEVNULL)
            sizes[bool(option)] = os.path.getsize(out)
        summary = handrail_json(handrail, "dump", "--format=json", path)[0]
        handles = sum(unit["handles"] for unit in summary["units"])
        deflated = len(zlib.compress("".join(source_texts(path)).encode(), 9))
        theirs = pytorch_bytes(path)
        rows.append((name, str(handles), f"{sizes[True] / handles:.3f}",
                     f"{theirs / handles:.2f}" if theirs else "",
                     str(sizes[False] - sizes[True]), str(deflated)))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w)
                        for i, (cell, w) in enumerate(zip(row, widths))).rstrip())


if __name__ == "__main__":
    main()
