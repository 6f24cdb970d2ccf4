import os, app.util as util
from . import store
from .store import open_store, Missing as Gone
from app.deep.inner import *
LIMIT = 10
type Pair = tuple[int, int]
class Runner(Base, metaclass=Meta):
    """Doc."""
    kind: str = "x"
    @property
    def name(self) -> Label:
        return util.clean("x")
    async def run(
        self,
        task: Task,
    ):
        def inner():
            pass
        return inner()
@decorated(1)
def top(a, *b, **c): return open_store(a)
if True:
    def conditional(): pass
