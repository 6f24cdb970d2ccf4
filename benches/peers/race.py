"""Races the built-in ranker against peers at the same queries and candidates, and says whether it is ahead of each.

Example: python race.py --data queries --checkouts checkouts --harness target/release/harness --seed piagent ripgrep click
"""

import argparse
import hashlib
import json
import os
import sys
from pathlib import Path

import lexical
import scores
import seed
import sluice
from queries import load


def aider(repository, settings):
    # Imported where it is used: it takes seconds.
    import aider_map

    return aider_map.aider(repository, settings)


OURS = "sluice"
PEERS = {
    "bm25": lexical.bm25,
    "bm25-split": lexical.bm25_split,
    "fts5": lexical.fts5,
    "aider": aider,
    "seed": seed.seed,
}
# What a peer's rankings depend on beside queries, candidates and tree.
CODE = {
    "bm25": ["lexical.py"],
    "bm25-split": ["lexical.py"],
    "fts5": ["lexical.py"],
    "aider": ["aider_map.py"],
    "seed": ["seed.py", "seed.mjs"],
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", help="names of the files of queries, without .jsonl")
    parser.add_argument("--data", type=Path, action="append", required=True, help="folders of queries and candidates")
    parser.add_argument("--checkouts", type=Path, required=True, help="folder of checkouts, each at its base commit")
    parser.add_argument("--harness", type=Path, required=True, help="the command `harness`")
    parser.add_argument("--localize", action="append", default=[], help="more arguments of `harness localize`")
    parser.add_argument("--seed", type=Path, help="a clone of piagent")
    parser.add_argument("--node", default="node", help="the Node of the seed, 22.5 or newer")
    parser.add_argument("--peers", default=",".join(PEERS), help="peers to race, with commas")
    parser.add_argument("--cache", type=Path, help="folder in which rankings of peers are kept; ours never are")
    parser.add_argument("--json", type=Path, help="file for figures and rankings")
    return parser.parse_args()


def run_peer(name, repository, settings):
    """A peer's rankings: a peer given the same queries, candidates and tree answers as before."""
    if settings.cache is None:
        return PEERS[name](repository, settings)
    here = Path(__file__).parent
    code = b"".join((here / file).read_bytes() for file in ("queries.py", *CODE[name]))
    key = hashlib.sha256(code + repository.digest.encode()).hexdigest()[:16]
    place = settings.cache / f"{name}-{repository.name}-{key}.json"
    if place.exists():
        return json.loads(place.read_text("utf-8"))
    runs = PEERS[name](repository, settings)
    settings.cache.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(runs), "utf-8")
    return runs


def folder_of(settings, name):
    found = [data for data in settings.data if (data / f"{name}.jsonl").is_file()]
    if len(found) != 1:
        raise SystemExit(f"{name}.jsonl: in {len(found)} of the folders of --data: want one")
    return found[0]


def race(settings):
    """Scores as peer → metric → one list of values a repository, rankings as peer → query → paths, our own report."""
    names = [OURS, *filter(None, settings.peers.split(","))]
    values = {name: {metric: [] for metric in scores.METRICS} for name in names}
    rankings = {name: {} for name in names}
    queries, reported = [], {}
    for at, repository_name in enumerate(settings.repositories, 1):
        repository = load(folder_of(settings, repository_name), settings.checkouts, repository_name)
        queries += [(repository.name, query) for query in repository.queries]
        for name in names:
            print(f"{at}/{len(settings.repositories)} {repository.name}: {name}", file=sys.stderr, flush=True)
            if name == OURS:
                document = sluice.sluice(repository, settings)
                reported[repository.name] = document["metrics"]
                runs = {run["id"]: run["ranked"] for run in document["runs"]}
            else:
                runs = run_peer(name, repository, settings)
            scored = [scores.of_ranking(runs[query.id], query.gold) for query in repository.queries]
            for metric in scores.METRICS:
                values[name][metric].append([row[metric] for row in scored])
            rankings[name].update(runs)
    return names, values, rankings, queries, reported


def compare(names, values):
    rows = []
    for name in names:
        row = {"peer": name, "metrics": {m: scores.macro(values[name][m]) for m in scores.METRICS}}
        if name != OURS:
            row["ahead"] = {}
            for metric in scores.METRICS:
                pairs = zip(values[OURS][metric], values[name][metric])
                differences = [[a - b for a, b in zip(ours, theirs)] for ours, theirs in pairs]
                low, high = scores.interval(differences)
                row["ahead"][metric] = {"mean": scores.macro(differences), "low": low, "high": high}
        rows.append(row)
    return rows


def table(rows):
    heads = "".join(f"{metric:>11}" for metric in scores.METRICS)
    aheads = "".join(f"{'ahead ' + metric:>28}" for metric in scores.METRICS)
    lines = [f"{'':12}{heads}{aheads}"]
    for row in rows:
        line = f"{row['peer']:12}" + "".join(f"{row['metrics'][metric]:11.3f}" for metric in scores.METRICS)
        for metric in scores.METRICS if "ahead" in row else ():
            ahead = row["ahead"][metric]
            line += f"{ahead['mean']:+10.3f} [{ahead['low']:+.3f}, {ahead['high']:+.3f}]"
        lines.append(line)
    return "\n".join(lines)


def main():
    if os.environ.get("PYTHONHASHSEED") != "0":
        # aider's map ends with the files that it knows nothing of, in the order of a set.
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    settings = arguments()
    names, values, rankings, queries, reported = race(settings)
    rows = compare(names, values)
    count = f"{len(queries)} queries of {len(settings.repositories)} repositories"
    print(f"{count}: macro means, 95 % paired bootstrap intervals")
    print(table(rows))
    judged = ("mrr", "recall@10")
    behind = [row["peer"] for row in rows if "ahead" in row and any(row["ahead"][m]["low"] <= 0 for m in judged)]
    print(f"not ahead of: {', '.join(behind)}" if behind else "ahead of every peer on MRR and recall@10")
    if settings.json:
        document = {
            "schema": "peers/1",
            "repositories": {
                name: {m: {peer: scores.macro([values[peer][m][at]]) for peer in names} for m in scores.METRICS}
                for at, name in enumerate(settings.repositories)
            },
            "queries": [{"id": q.id, "repo": repo, "gold": sorted(q.gold)} for repo, q in queries],
            "peers": rows,
            "reported": reported,
            "rankings": rankings,
        }
        settings.json.write_text(json.dumps(document, sort_keys=True) + "\n", "utf-8")
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main())
