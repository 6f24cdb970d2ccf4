"""Holds our scores against trec_eval (through pytrec_eval) on the rankings that `race.py --json` wrote.

Every ranking is given to trec_eval with one score a rank, so no ties are left to break. Fails where any of the three
metrics of any query of any peer, or a mean that `harness localize` reported, differs by more than 1e-12.

Example: python trec.py race.json
"""

import json
import math
import sys
from pathlib import Path

import pytrec_eval

import scores

TOLERANCE = 1e-12
MEANS = {
    "recall@1": "recall_1",
    "recall@5": "recall_5",
    "recall@10": "recall_10",
    "recall@20": "recall_20",
    "mrr": "recip_rank",
    "ndcg@10": "ndcg_cut_10",
}
NAMES = {"mrr": "recip_rank", "recall@10": "recall_10", "ndcg@10": "ndcg_cut_10"}


def by_rank(paths):
    """One score a rank, the greatest first."""
    return {path: float(len(paths) - at) for at, path in enumerate(paths)}


def queries_differ(document, theirs, gold):
    """The largest difference of each metric over every query of every ranker, and how many were compared."""
    worst = dict.fromkeys(NAMES, (0.0, ""))
    compared = 0
    for peer, rankings in sorted(document["rankings"].items()):
        for query, paths in sorted(rankings.items()):
            ours = scores.of_ranking(paths, gold[query])
            for metric, name in NAMES.items():
                difference = abs(ours[metric] - theirs[peer][query][name])
                worst[metric] = max(worst[metric], (difference, f"{peer} {query}"))
                compared += 1
    return worst, compared


def means_differ(document, theirs):
    """The same for the means over a repository's queries that `harness localize` reported."""
    worst = dict.fromkeys(MEANS, (0.0, ""))
    for repository, reported in sorted(document["reported"].items()):
        queries = [row["id"] for row in document["queries"] if row["repo"] == repository]
        for metric, name in MEANS.items():
            mean = math.fsum(theirs["sluice"][query][name] for query in queries) / len(queries)
            worst[metric] = max(worst[metric], (abs(mean - reported[metric]), repository))
    return worst, len(document["reported"]) * len(MEANS)


def main():
    document = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    gold = {row["id"]: frozenset(row["gold"]) for row in document["queries"]}
    judged = {query: dict.fromkeys(paths, 1) for query, paths in gold.items()}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank", "recall.1,5,10,20", "ndcg_cut.10"})
    theirs = {}
    for peer, rankings in document["rankings"].items():
        found = evaluator.evaluate({query: by_rank(paths) for query, paths in rankings.items()})
        # trec_eval leaves out a query without any result; it scores 0.
        theirs[peer] = {query: found.get(query, dict.fromkeys(MEANS.values(), 0.0)) for query in rankings}
    failed = False
    for what, (worst, compared) in {
        f"values of {len(theirs)} rankers": queries_differ(document, theirs, gold),
        "means that harness localize reported": means_differ(document, theirs),
    }.items():
        print(f"{compared} {what} compared with trec_eval")
        for metric, (difference, where) in worst.items():
            print(f"  {metric:10} largest difference {difference:.3g} {where if difference else ''}")
            failed |= difference > TOLERANCE
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
