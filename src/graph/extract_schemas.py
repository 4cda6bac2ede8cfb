#!/usr/bin/python3
"""Writes schemas.txt: every operator schema that a PyTorch installation knows, one a line.

    extract_schemas.py > schemas.txt

Sorted by operator name; overloads of one name stand in the order in which PyTorch tries them, which
decides what a call means. Types that TorchScript does not tell apart from int or str are written so.
torchvision's operators are taken, too, because the detection networks of its model zoo call them.
"""
import re
import sys

import torch

try:
    import torchvision  # noqa: F401  its import registers its operators
except ImportError:
    sys.exit("extract_schemas.py: torchvision is not installed")

# Left out: operators that no saved model holds (of tracing for other runtimes, of tests, of
# compilers' own dialects, of process groups and video files).
NAMESPACES = {
    "aten", "prim", "quantized", "_quantized", "quantization", "sparse", "prepacked",
    "mkldnn_prepacked", "profiler", "torchvision",
}
ALIASES = {"SymInt": "int", "ScalarType": "int", "Layout": "int", "MemoryFormat": "int"}


def text_of(schema):
    return re.sub(r"\b(%s)\b" % "|".join(ALIASES), lambda match: ALIASES[match[1]], str(schema))


def main():
    names = {schema.name for schema in torch._C._jit_get_all_schemas()}
    print("# Operator schemas of PyTorch %s and torchvision %s, written by extract_schemas.py." %
          (torch.__version__, torchvision.__version__))
    for name in sorted(names):
        if name.split("::")[0] not in NAMESPACES:
            continue
        for schema in torch._C._jit_get_schemas_for_operator(name):
            print(text_of(schema))


main()
