"""Queries, candidates and checkouts, as `harness mine` writes them."""

import hashlib
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Query:
    id: str
    text: str
    gold: frozenset


@dataclass(frozen=True)
class Repository:
    """One repository: a checkout of the base commit, its candidates (sorted) and its queries."""

    name: str
    root: Path
    base: str
    queries_file: Path
    candidates_file: Path
    candidates: tuple
    queries: tuple
    digest: str

    def text(self, path):
        """A candidate's text; bytes that are no UTF-8 are replaced."""
        return (self.root / path).read_bytes().decode("utf-8", "replace")


def load(data, checkouts, name):
    """Reads one repository and refuses a checkout of anything but the base commit of its queries."""
    queries_file, candidates_file = data / f"{name}.jsonl", data / f"{name}.candidates.json"
    lines = [json.loads(line) for line in queries_file.read_text("utf-8").splitlines()]
    root = checkouts / name
    head = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    bases = {line["base_commit"] for line in lines}
    if bases != {head}:
        raise SystemExit(f"{root}: stands at {head}, the queries are for {bases}: check the base out")
    candidates = tuple(sorted(json.loads(candidates_file.read_text("utf-8"))))
    digest = hashlib.sha256(queries_file.read_bytes() + b"\0" + candidates_file.read_bytes()).hexdigest()
    return Repository(
        name,
        root,
        head,
        queries_file,
        candidates_file,
        candidates,
        tuple(Query(line["id"], line["query"], frozenset(line["gold"])) for line in lines),
        digest,
    )


def ranked(scores):
    """Paths by score, the greatest first; paths of one score by name. What scores nothing isn't found."""
    return [path for path, score in sorted(scores.items(), key=lambda item: (-item[1], item[0])) if score > 0]
