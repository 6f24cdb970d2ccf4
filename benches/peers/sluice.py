"""`harness localize`."""

import json
import subprocess


def sluice(repository, settings):
    """The document of `harness localize`, with every ranking to its end."""
    command = [
        str(settings.harness),
        "localize",
        f"--root={repository.root}",
        f"--queries={repository.queries_file}",
        f"--candidates={repository.candidates_file}",
        f"--limit={len(repository.candidates)}",
        "--json",
        *settings.localize,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"sluice: {repository.name}: {done.stderr.strip()}")
    return json.loads(done.stdout)
