"""CPU that a first repository map of aider takes beside a first index of ours, over the same checkout.

Example: python index_cost.py --sluice target/release/sluice checkouts/ripgrep

Each side is a process of its own, measured by the resource usage of the ended child, user and system time together, several
times in turn: ours, aider's start, aider's map, ours. A map is set against the index before and behind it, since the speed of
a machine drifts, and medians count. aider's start (its imports, more than its map of a small project) is taken off; of ours
nothing is. The map is of every tracked file, nothing mentioned, its tags kept in memory.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

FACTOR = 5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--sluice", type=Path, required=True, help="the command `sluice`, a release build")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--side", choices=["start", "map"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        side(arguments.side, arguments.checkout)
        return
    own = [sys.executable, __file__, "--sluice", str(arguments.sluice), str(arguments.checkout), "--side"]
    starts, maps, indexes, factors = [], [], [], []
    for _ in range(arguments.runs):
        before = index(arguments.sluice, arguments.checkout)
        start = cpu([*own, "start"])
        whole = cpu([*own, "map"])
        behind = index(arguments.sluice, arguments.checkout)
        starts.append(start)
        maps.append(whole - start)
        indexes += [before, behind]
        factors.append((whole - start) / ((before + behind) / 2))
    factor = statistics.median(factors)
    print(json.dumps({
        "schema": "index-cost-peers/2", "runs": arguments.runs,
        "aider_start_cpu_s": round(statistics.median(starts), 3), "aider_map_cpu_s": round(statistics.median(maps), 3),
        "sluice_index_cpu_s": round(statistics.median(indexes), 3), "factors": sorted(round(f, 2) for f in factors),
        "factor": round(factor, 2), "min_factor": FACTOR, "holds": factor >= FACTOR,
    }))
    sys.exit(0 if factor >= FACTOR else 1)


def cpu(command, **options):
    """User and system seconds of one child."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]}: ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime


def index(sluice, checkout):
    """A first index: of a copy of the tracked files, so that no state of ours is written into the checkout."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        for path in tracked(checkout):
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(checkout / path, target)
        return cpu([str(sluice.resolve()), "index", "--json"], cwd=root)


def tracked(root):
    out = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=True).stdout
    paths = sorted(path for path in out.decode("utf-8", "replace").split("\0") if path)
    return [path for path in paths if (root / path).is_file() and not (root / path).is_symlink()]


def side(which, checkout):
    # Imported where it is used: it takes seconds, which are the start.
    import aider_map

    if which == "map":
        files = [str(checkout / path) for path in tracked(checkout)]
        aider_map.map_of(checkout).get_ranked_tags(set(), files, set(), set())


if __name__ == "__main__":
    main()
