"""Peers that look at words alone: BM25 (bm25s) and SQLite FTS5."""

import re
import sqlite3

import bm25s

from queries import ranked

WORD = re.compile(r"[A-Za-z0-9_]+")
PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")

# bm25s's own English list is used for the variant that drops function words.
STOP = frozenset(bm25s.stopwords.STOPWORDS_EN_PLUS)


def words(text):
    """Whole words, lower-cased."""
    return [word.lower() for word in WORD.findall(text)]


def split_words(text):
    """Whole words, and the parts of those that camel case, underscores or digits divide."""
    out = []
    for word in WORD.findall(text):
        out.append(word.lower())
        parts = PART.findall(word)
        if len(parts) > 1:
            out.extend(part.lower() for part in parts)
    return out


def bm25(repository, settings):
    """Okapi BM25 with bm25s's defaults, over whole words."""
    return _bm25(repository, words, words, with_path=False)


def bm25_split(repository, settings):
    """The strongest BM25 known to us: identifiers split, the path among the words, function words dropped from queries."""
    return _bm25(repository, split_words, _telling_words, with_path=True)


def _telling_words(text):
    return [word for word in split_words(text) if word not in STOP]


def _bm25(repository, of_text, of_query, with_path):
    texts = [repository.text(path) for path in repository.candidates]
    if with_path:
        texts = [f"{path}\n{text}" for path, text in zip(repository.candidates, texts)]
    index = bm25s.BM25()
    index.index([of_text(text) for text in texts], show_progress=False)
    runs = {}
    for query in repository.queries:
        tokens = [token for token in of_query(query.text) if token in index.vocab_dict]
        scores = index.get_scores(tokens) if tokens else [0.0] * len(texts)
        runs[query.id] = ranked(dict(zip(repository.candidates, map(float, scores))))
    return runs


def fts5(repository, settings):
    """SQLite FTS5 as shipped: default tokenizer, columns path and body, default bm25(), the words of the query joined by OR.

    The default AND of a pasted task finds almost nothing, so it isn't raced.
    """
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE files USING fts5(path, body)")
    rows = ((path, repository.text(path)) for path in repository.candidates)
    db.executemany("INSERT INTO files VALUES (?, ?)", rows)
    runs = {}
    for query in repository.queries:
        terms = sorted(set(re.findall(r"\w+", query.text)))
        found = db.execute(
            "SELECT path FROM files WHERE files MATCH ? ORDER BY bm25(files), path",
            (" OR ".join(f'"{term}"' for term in terms),),
        )
        runs[query.id] = [path for (path,) in found] if terms else []
    db.close()
    return runs
