"""Scores of rankings, and intervals of their differences."""

import math

import numpy as np

DEPTH = 10
RESAMPLES = 10_000
SEED = 20_261_130
METRICS = ("mrr", "recall@10", "ndcg@10")


def of_ranking(ranked, gold):
    """Reciprocal rank, recall@10 and nDCG@10 with gains 0 and 1, as trec_eval's recip_rank, recall_10 and ndcg_cut_10."""
    hits = [rank for rank, path in enumerate(ranked, 1) if path in gold]
    top = [rank for rank in hits if rank <= DEPTH]
    ideal = math.fsum(1 / math.log2(rank + 1) for rank in range(1, min(len(gold), DEPTH) + 1))
    return {
        "mrr": 1 / hits[0] if hits else 0.0,
        "recall@10": len(top) / len(gold),
        "ndcg@10": math.fsum(1 / math.log2(rank + 1) for rank in top) / ideal,
    }


def macro(by_repository):
    """The mean over repositories of each one's mean over queries."""
    return float(np.mean([np.mean(values) for values in by_repository]))


def interval(differences):
    """The 95 % percentile interval of the macro mean of paired differences.

    Queries are drawn with replacement within each repository: the repositories are the ones asked, their queries a sample
    (Efron and Tibshirani 1993, chapter 8: stratified one-sample bootstrap).
    """
    random = np.random.Generator(np.random.PCG64(SEED))
    means = np.zeros(RESAMPLES)
    for values in differences:
        values = np.asarray(values)
        drawn = random.integers(0, len(values), size=(RESAMPLES, len(values)))
        means += values[drawn].mean(axis=1)
    low, high = np.quantile(means / len(differences), [0.025, 0.975])
    return float(low), float(high)
