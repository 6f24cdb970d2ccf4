"""Writes harness/fixtures/ranking.json: rankings without ties and what trec_eval (through pytrec_eval) says of them.

A test of the harness holds its own metrics to these values. Example: python trec_fixture.py ../../harness/fixtures/ranking.json
"""

import json
import random
import sys
from pathlib import Path

import pytrec_eval

from trec import MEANS, by_rank

LISTS = 60
ITEMS = 40


def main():
    draw = random.Random(20_261_130)
    cases = []
    for _ in range(LISTS):
        items = list(range(ITEMS))
        draw.shuffle(items)
        # From one relevant item to more than the deepest metric holds; lists that end before they are found.
        relevant = sorted(draw.sample(range(ITEMS), draw.choice([1, 1, 2, 3, 5, 8, 13, 25])))
        cases.append({"ranked": items[: draw.randint(1, ITEMS)], "relevant": relevant})
    name = "item{:02}".format
    judged = {str(at): {name(item): 1 for item in case["relevant"]} for at, case in enumerate(cases)}
    runs = {str(at): by_rank([name(item) for item in case["ranked"]]) for at, case in enumerate(cases)}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank", "recall.1,5,10,20", "ndcg_cut.10"})
    found = evaluator.evaluate(runs)
    for at, case in enumerate(cases):
        case["scores"] = {metric: found[str(at)][trec] for metric, trec in MEANS.items()}
    document = {"schema": "ranking-fixture/1", "made_by": "pytrec_eval-terrier 0.5.11", "cases": cases}
    text = json.dumps(document, separators=(",", ":"))
    Path(sys.argv[1]).write_text(text.replace('{"ranked"', '\n{"ranked"') + "\n", "utf-8")


if __name__ == "__main__":
    main()
