"""The seed's own search, run as a process."""

import json
import os
import subprocess
import tempfile
from pathlib import Path


def seed(repository, settings):
    """The search of piagent, from which this project learnt, from a clone and the Node that it wants (22.5 or newer)."""
    if settings.seed is None:
        raise SystemExit("seed: no clone: name one with --seed, or leave it out of --peers")
    with tempfile.TemporaryDirectory() as folder:
        # It writes its index below the project: a copy that shares the objects.
        root = Path(folder) / repository.name
        clone = ["git", "-c", "init.defaultBranch=main", "clone", "--quiet", "--shared", "--no-checkout"]
        subprocess.run([*clone, str(repository.root), str(root)], check=True)
        subprocess.run(["git", "-C", str(root), "checkout", "--quiet", "--detach", repository.base], check=True)
        request = {"root": str(root), "queries": [[query.id, query.text] for query in repository.queries]}
        driver = Path(__file__).with_name("seed.mjs")
        done = subprocess.run(
            [settings.node, "--no-warnings", str(driver), str(settings.seed)],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": os.environ["PATH"], "HOME": folder},
        )
    if done.returncode:
        raise SystemExit(f"seed: {repository.name}: {done.stderr.strip()[:500]}")
    candidates = frozenset(repository.candidates)
    runs = json.loads(done.stdout)
    return {query: [path for path in paths if path in candidates] for query, paths in runs.items()}
