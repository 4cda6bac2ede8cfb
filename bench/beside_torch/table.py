#!/usr/bin/python3
"""One table of what both measured:  table.py HANDRAIL HANDRAIL_SIDE TORCH_BENCH ARCHIVE FOLDER"""

import json
import statistics
import subprocess
import sys
import time

TRACES = 100_000


def run_json(command):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def least(value):
    return value["min"] if isinstance(value, dict) else value


def main():
    handrail, handrail_side, torch_bench, archive, folder = sys.argv[1:]
    ours = run_json([handrail_side, archive, folder])
    theirs = run_json([torch_bench, archive])

    opens = [
        run_json([handrail_side, "--open", ours["large_map"], str(ours["large_handle"])])
        for _ in range(9)
    ]
    assert all(opened["found"] for opened in opens)

    # Arguments as a script gives them; what they cost is the shell's and the kernel's, too.
    command = [handrail, "symbolize", "-m", ours["map"]] + [str(h) for h in range(TRACES)]
    starts = []
    for _ in range(5):
        start = time.monotonic()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        starts.append(time.monotonic() - start)

    rows = [("", "handrail", "PyTorch", "ratio")]

    def beside(what, own, other, unit):
        rows.append((what, f"{own:.4g} {unit}", f"{other:.4g} {unit}", f"{other / own:.1f}"))

    def alone(what, own):
        rows.append((what, own, "", ""))

    beside("archive to ready, debug info's share", ours["ready_ms"], least(theirs["debug_load_ms"]), "ms")
    beside("handle to text", ours["text_ns"], least(theirs["call_stack_ns"]), "ns")
    alone("handle to frames", f"{1e3 / ours['frames_ns']:.2f} M/s")
    alone("10 M handles: open and look up", f"{statistics.median(o['open_us'] for o in opens):.0f} us")
    alone("the same, first in a process",
          f"{statistics.median(o['first_open_us'] for o in opens):.0f} us")
    alone("10 M handles: resident memory", f"{max(o['rss_kb'] for o in opens)} kB")
    alone(f"process: {TRACES} handles to text", f"{min(starts) * 1e3:.0f} ms")
    alone("log without handles", f"{ours['filter_mb_s']} MB/s")
    alone("map, per handle", f"{ours['map_bytes'] / ours['handles']:.3f} bytes")
    alone("map without sources, per handle", f"{ours['small_map_bytes'] / ours['handles']:.3f} bytes")

    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    print(f"{archive}: {ours['handles']} handles")
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [row[i].rjust(widths[i]) for i in (1, 2, 3)]
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    main()
