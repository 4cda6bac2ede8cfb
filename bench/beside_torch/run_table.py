#!/usr/bin/python3
"""The interpreter beside PyTorch's lite interpreter:  run_table.py RUN_SIDE FOLDER

Both run the models of run_models.py, in turns; the fastest round of each counts. What an
instruction costs is the time by the number of instructions that ran, which are the same in both.
"events" is what recording an event for each operator adds.
"""

import json
import os
import subprocess
import sys
import time

import torch
from torch.jit.mobile import _load_for_lite_interpreter

import run_models

ROUNDS = 5
LOOPS = run_models.ROUNDS


def measure_torch(path):
    module = _load_for_lite_interpreter(path)
    module.forward(10)
    fastest = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        with torch.no_grad():
            module.forward(LOOPS)
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


def main():
    run_side, folder = sys.argv[1:]
    torch.set_num_threads(1)
    run_models_path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_models.py")
    subprocess.run([run_models_path, folder], check=True)
    print(f"{'per loop':<14}{'handrail':>12}{'PyTorch':>12}{'ratio':>8}{'an instruction':>17}"
          f"{'events':>11}{'an event':>11}")
    for model in run_models.MODELS:
        path = os.path.join(folder, model.__name__ + ".ptl")
        theirs = measure_torch(path)
        done = subprocess.run([run_side, path, str(ROUNDS), str(LOOPS)], stdout=subprocess.PIPE,
                              check=True)
        ours = json.loads(done.stdout)
        theirs = min(theirs, measure_torch(path))
        plain, recorded = ours["seconds"], ours["recorded_seconds"]
        print(f"{model.__name__:<14}{plain / LOOPS * 1e9:>9.0f} ns{theirs / LOOPS * 1e9:>9.0f} ns"
              f"{theirs / plain:>8.1f}{plain / ours['instructions'] * 1e9:>14.1f} ns"
              f"{(recorded / plain - 1) * 100:>9.1f} %"
              f"{(recorded - plain) / ours['events'] * 1e9:>8.1f} ns")


if __name__ == "__main__":
    main()
