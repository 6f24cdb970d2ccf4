"""aider's repository map, asked as aider asks it for a message: no file in the chat, every tracked file else.

Mentioned names and files are taken from the message by aider's own code; the ranking is the order in which files first
occur among its ranked tags.
"""

import subprocess
from types import SimpleNamespace

from aider.coders.base_coder import Coder
from aider.io import InputOutput
from aider.repomap import RepoMap
from tree_sitter import QueryError


def aider(repository, settings):
    out = subprocess.run(
        ["git", "-C", str(repository.root), "ls-files", "-z"], capture_output=True, check=True
    ).stdout.decode("utf-8", "replace")
    tracked = sorted(path for path in out.split("\0") if path and (repository.root / path).is_file())
    coder = _coder(tracked)
    candidates = frozenset(repository.candidates)
    repo_map = map_of(repository.root)
    files = [str(repository.root / path) for path in tracked]
    runs = {}
    for query in repository.queries:
        idents = Coder.get_ident_mentions(coder, query.text)
        names = Coder.get_file_mentions(coder, query.text)
        names.update(Coder.get_ident_filename_matches(coder, idents))
        tags = repo_map.get_ranked_tags(set(), files, names, idents)
        paths = dict.fromkeys(tag[0] for tag in tags)
        runs[query.id] = [path for path in paths if path in candidates]
    return runs


def _coder(tracked):
    """What the three extractors of aider's `Coder` look at."""
    return SimpleNamespace(
        abs_read_only_fnames=set(),
        get_all_relative_files=lambda: tracked,
        get_addable_relative_files=lambda: set(tracked),
        get_inchat_relative_files=lambda: [],
    )


class _Map(RepoMap):
    """aider's map with its tags in memory, so that nothing is written into the checkout."""

    def load_tags_cache(self):
        self.known = {}
        # Only its length is asked: it says that a slow first scan needs no announcement.
        self.TAGS_CACHE = range(1 << 20)

    def get_tags(self, fname, rel_fname):
        if fname not in self.known:
            try:
                self.known[fname] = list(self.get_tags_raw(fname, rel_fname))
            except QueryError:
                # Its query doesn't fit its own grammar of this language. aider ends here; we let the file go without tags.
                self.known[fname] = []
        return self.known[fname]


def map_of(root):
    return _Map(root=str(root), io=InputOutput(pretty=False, yes=True, fancy_input=False))
