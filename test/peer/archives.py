"""The archives that the comparisons read: made once for each state of their sources, then kept."""

import concurrent.futures
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, "models")

# In this order, so that what takes longest starts first.
GROUPS = [
    "r212k",
    "vision_other",
    "vision_classification",
    "vision_unloadable",
    "vision_traced",
    "language",
    "lowered",
    "frozen_traced",
    "text",
    "upstream_backend",
    "upstream_lite",
]
# Read by every group.
SHARED_SOURCES = ["kit.py", "make.py", "vision_kit.py"]


@dataclass(frozen=True)
class Archive:
    """One model as make.py left it. Paths are absolute, or None where there is no such file."""

    group: str
    name: str
    path: str
    pt: str
    stripped: str
    reloaded: str
    loadable: bool
    method: str
    runs: tuple
    fails: tuple

    @property
    def title(self):
        return f"{self.group}/{self.name}"


def _digest(paths):
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def _make_group(group, folder, backend):
    sources = [os.path.join(MODELS, name) for name in [group + ".py", *SHARED_SOURCES]]
    stamp = os.path.join(folder, "made_from")
    state = _digest([*sources, backend])
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == state:
                return None
    shutil.rmtree(folder, ignore_errors=True)
    start = time.monotonic()
    command = [sys.executable, os.path.join(MODELS, "make.py"), group, folder, backend]
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if made.returncode != 0:
        return f"{group}: {made.stdout.decode(errors='replace')}"
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(state)
    print(f"made {group} in {time.monotonic() - start:.0f} s", file=sys.stderr)
    return None


def make(root, groups, backend, jobs):
    """Makes what is not there yet. Returns what could not be made, as texts."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        folders = [os.path.join(root, group) for group in groups]
        failures = pool.map(_make_group, groups, folders, [backend] * len(groups))
        return [failure for failure in failures if failure]


def _load(folder, file_name):
    with open(os.path.join(folder, file_name), encoding="utf-8") as file:
        about = json.load(file)

    def absolute(name):
        return os.path.join(folder, name) if name else None

    return Archive(
        group=about["group"],
        name=about["name"],
        path=absolute(about["archive"]),
        pt=absolute(about["pt"]),
        stripped=absolute(about["stripped"]),
        reloaded=absolute(about["reloaded"]),
        loadable=about["loadable"],
        method=about["method"],
        runs=tuple(absolute(name) for name in about["runs"]),
        fails=tuple(absolute(name) for name in about["fails"]),
    )


def listed(root, groups):
    """The archives of GROUPS, sorted by name within each."""
    archives = []
    for group in groups:
        folder = os.path.join(root, group)
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
        archives += [_load(folder, name) for name in names]
    return archives
