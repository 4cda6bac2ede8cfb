#!/usr/bin/python3
"""Issuing handles beside PyTorch's recorder:  handle_table.py HANDLE_SIDE PEER_GRAPH ARCHIVE.pt...

Both programs load the archive and inline `forward`, and then, several times, issue a handle for every node of
that graph, with its debug info, and give the map away; the fastest round of each counts.
"""

import json
import os
import subprocess
import sys

ROUNDS = 9


def per_handle(command, text=None):
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True)
    answer = json.loads(done.stdout)
    return min(answer["seconds"]) / answer["nodes"] * 1e9, answer["nodes"]


def main():
    handle_side, peer_graph, *archives = sys.argv[1:]
    print(f"{'a handle':<40}{'nodes':>9}{'handrail':>12}{'PyTorch':>12}{'ratio':>8}")
    for archive in archives:
        ours, nodes = per_handle([handle_side, archive, str(ROUNDS), "forward"])
        theirs, _ = per_handle([peer_graph, archive], f"handles {ROUNDS} forward\n".encode())
        name = os.path.basename(archive)
        print(f"{name:<40}{nodes:>9}{ours:>9.1f} ns{theirs:>9.1f} ns{theirs / ours:>8.1f}")


if __name__ == "__main__":
    main()
