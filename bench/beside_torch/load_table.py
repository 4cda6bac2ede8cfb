#!/usr/bin/python3
"""Loading and inlining beside PyTorch:  load_table.py LOAD_SIDE PEER_GRAPH ARCHIVE.pt...

Both programs load the archive, compile `forward` and all it calls, and inline it, several times; the
fastest round of each counts. PyTorch reads the weights, Handrail maps them.
"""

import json
import os
import subprocess
import sys

ROUNDS = 5


def least(command, text=None):
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True)
    return min(json.loads(done.stdout)["seconds"]) * 1e3


def main():
    load_side, peer_graph, *archives = sys.argv[1:]
    print(f"{'load and inline':<40}{'handrail':>12}{'PyTorch':>12}{'ratio':>8}")
    for archive in archives:
        ours = least([load_side, archive, str(ROUNDS), "forward"])
        theirs = least([peer_graph, archive], f"time {ROUNDS} forward\n".encode())
        name = os.path.basename(archive)
        print(f"{name:<40}{ours:>9.2f} ms{theirs:>9.2f} ms{theirs / ours:>8.1f}")


if __name__ == "__main__":
    main()
