#!/usr/bin/python3
"""Compares our parser of TorchScript with PyTorch's: the same trees with the same ranges.

  compare.py BUILD_FOLDER [--networks NAME,...] [--archives PATH...] [--random N] [--seed N] [--time]

Compared are the cases of cases.txt, the code of scripted torchvision networks and of archives, and
random texts. Where
PyTorch's parser fails, ours may read more, and is not compared. The last line is `N passed, N failed`.
"""
import argparse
import difflib
import glob
import io
import os
import re
import subprocess
import sys
import zipfile

import random_text

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
NETWORKS = ("resnet18,mobilenet_v3_small,googlenet,vit_b_16,swin_v2_t,lraspp_mobilenet_v3_large,"
            "deeplabv3_resnet50,fasterrcnn_mobilenet_v3_large_320_fpn,ssdlite320_mobilenet_v3_large,"
            "raft_small,r3d_18")

# What ours refuses on purpose though PyTorch reads it, as something nobody means.
REFUSED = re.compile("PyTorch reads it as|a second 'for'|comprehension alone in its brackets")


def build(folder):
  """The two programs, built again when their sources are newer."""
  ours = [path for path in glob.glob(f"{ROOT}/src/script/*.cc") + glob.glob(f"{ROOT}/src/base/*.cc")
          if not re.search("_(test|bench).cc$", path)]
  headers = glob.glob(f"{ROOT}/src/script/*.[hd]*") + glob.glob(f"{ROOT}/include/handrail/base/*")
  programs = {
      "torch_tree": (["g++", "-std=c++17", "-w", "-O2"], [f"{HERE}/torch_tree.cc"], [],
                     ["-ltorch_cpu", "-lc10", "-lpthread"]),
      "handrail_tree": (["g++", "-std=c++20", "-O2", f"-I{ROOT}/include", f"-I{ROOT}/src"],
                        [f"{HERE}/handrail_tree.cc"] + ours, headers, ["-lfmt", "-lxxhash"]),
  }
  for name, (command, sources, also, libraries) in programs.items():
    program = os.path.join(folder, name)
    newest = max(os.path.getmtime(path) for path in sources + also)
    if not os.path.exists(program) or os.path.getmtime(program) < newest:
      subprocess.run(command + sources + ["-o", program] + libraries, check=True)


def run(folder, program, lines, *options):
  done = subprocess.run([os.path.join(folder, program), *options], input="\n".join(lines) + "\n",
                        capture_output=True, text=True, errors="surrogateescape")
  if done.returncode != 0:
    sys.exit(f"{program} ended with {done.returncode}: {done.stderr[-2000:]}")
  return done.stdout


def trees(folder, program, lines):
  """What the program prints of each text."""
  parts = re.split("^== (.*)\n", run(folder, program, lines), flags=re.MULTILINE)[1:]
  return dict(zip(parts[::2], parts[1::2]))


def write(folder, kind, texts):
  os.makedirs(os.path.join(folder, kind), exist_ok=True)
  lines = []
  for number, text in enumerate(texts):
    path = os.path.join(folder, kind, f"{number}.py")
    with open(path, "w") as file:
      file.write(text)
    lines.append(path)
  return lines


def cases():
  with open(f"{HERE}/cases.txt") as file:
    for case in file.read().split("\n----\n")[1:]:
      case = case.rstrip("\n") + "\n"
      if case.startswith("# whole\n"):
        yield case[len("# whole\n"):]
      else:
        yield "def f(x):\n" + "".join(f"  {line}\n" for line in case.splitlines())


def network_code(folder, names):
  """Code files of scripted networks, kept in the folder for the next run."""
  lines = []
  for name in names:
    target = os.path.join(folder, "networks", name)
    if not os.path.isdir(target):
      unpack(scripted(name), target)
    lines += sorted(glob.glob(os.path.join(target, "*.py")))
  return lines


def archive_code(folder, paths):
  lines = []
  for path in filter(zipfile.is_zipfile, paths):
    target = os.path.join(folder, "archives", os.path.basename(path))
    unpack(zipfile.ZipFile(path), target)
    lines += sorted(glob.glob(os.path.join(target, "*.py")))
  return lines


def unpack(archive, target):
  os.makedirs(target, exist_ok=True)
  for record in archive.namelist():
    if record.endswith(".py"):
      code = record.split("/code/", 1)[1].replace("/", ".")
      with open(os.path.join(target, code), "wb") as file:
        file.write(archive.read(record))


def scripted(name):
  import torch
  import torchvision.models as models
  for package in (models, models.segmentation, models.detection, models.optical_flow, models.video):
    if hasattr(package, name):
      make = getattr(package, name)
      try:
        network = make(weights=None, weights_backbone=None)
      except (TypeError, ValueError):
        network = make(weights=None)
      out = io.BytesIO()
      torch.jit.save(torch.jit.script(network.eval()), out)
      return zipfile.ZipFile(out)
  sys.exit(f"no network '{name}' in torchvision")


def compare(folder, kind, lines, must_parse):
  """Counts of texts that both read alike, that do not agree, and that PyTorch does not read."""
  theirs = trees(folder, "torch_tree", lines)
  ours = trees(folder, "handrail_tree", lines)
  passed = failed = unread = refused = 0
  for line in lines:
    if theirs[line].startswith("error: "):
      unread += 1
      if not must_parse:
        continue
    if ours[line] == theirs[line] and not theirs[line].startswith("error: "):
      passed += 1
    elif ours[line].startswith("error: ") and REFUSED.search(ours[line]) and not must_parse:
      refused += 1
    else:
      failed += 1
      print(f"--- {line}")
      print("\n".join(difflib.unified_diff(theirs[line].splitlines(), ours[line].splitlines(), "PyTorch",
                                           "Handrail", n=0, lineterm="")))
  print(f"{kind}: {passed} alike, {failed} different"
        + (f", {refused} refused on purpose, {unread} not read by PyTorch" if not must_parse else ""))
  return passed, failed


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("folder")
  parser.add_argument("--networks", default=NETWORKS)
  parser.add_argument("--archives", nargs="*", default=sorted(glob.glob(f"{ROOT}/test/data/*.pt*")))
  parser.add_argument("--random", type=int, default=3000)
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--time", action="store_true", help="also print how fast both are")
  options = parser.parse_args()
  os.makedirs(options.folder, exist_ok=True)
  build(options.folder)

  whole = write(options.folder, "cases", cases())
  methods = ["methods:" + line for line in whole if "self" in open(line).read()]
  networks = network_code(options.folder, [name for name in options.networks.split(",") if name])
  archives = archive_code(options.folder, options.archives)
  texts = write(options.folder, "random", random_text.texts(options.seed, options.random))
  counts = [
      compare(options.folder, "cases", whole, must_parse=True),
      compare(options.folder, "methods", methods, must_parse=False),
      compare(options.folder, "networks", networks, must_parse=True),
      compare(options.folder, "archives", archives, must_parse=True),
      compare(options.folder, "random texts", texts, must_parse=False),
  ]
  if options.time:
    for program in ("torch_tree", "handrail_tree"):
      print(f"{program}: {run(options.folder, program, networks, '--time').strip()}")
  passed, failed = (sum(column) for column in zip(*counts))
  print(f"{passed} passed, {failed} failed")
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())
