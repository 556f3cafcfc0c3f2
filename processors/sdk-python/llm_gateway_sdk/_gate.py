"""How many messages are worked on and wait, by their size."""
import asyncio
import time
from typing import Callable, List, Optional, Set

from ._definition import Limits
from ._fair_queue import FairQueue, Task
from ._log import Log
from ._places import Place, Places

KIB = 1024
MIB = 1024 * KIB
#: Longest message in bytes, share of the concurrency, bytes that may wait, and further bytes for the oldest message of
#: each router: room for the huge messages of two routers. A shorter message is a small part of its queue.
LANES = ((16 * KIB, 1, 16 * MIB, 0), (512 * KIB, 4, 32 * MIB, 0), (None, 16, 32 * MIB, 32 * MIB))
CONCURRENCY = FIRST_PLACES = 64
#: Waiting messages that have expired keep their bytes no longer.
EXPIRY_S = 1


class Gate:
    """Runs messages of one size; drops messages beyond the limits of waiting ones.

    A message that was given up keeps its place until its thread ends, since Python can't end a thread: otherwise the
    threads of one router's stuck answers would become more and more, or would be missing for the messages of other
    routers.
    """

    def __init__(self, places: Places, queue: FairQueue, logger: Log) -> None:
        self._places, self._queue, self._logger = places, queue, logger
        #: asyncio itself keeps no task from being freed.
        self._messages: Set["asyncio.Task[None]"] = set()
        self._dropped = 0
        self._expiry: Optional[asyncio.TimerHandle] = None
        self._judging: Optional[asyncio.TimerHandle] = None

    @property
    def running(self) -> int:
        """The places that are taken."""
        return self._places.taken

    @property
    def waiting(self) -> int:
        return self._queue.count

    @property
    def waiting_bytes(self) -> int:
        return self._queue.bytes

    @property
    def overloaded(self) -> bool:
        return self._dropped > 0

    def take(self, task: Task) -> None:
        if self._places.has_place(task.flow):  # A router with waiting messages has none.
            self._start(task)
            return
        for displaced in self._queue.add(task, time.monotonic()):
            if self._dropped == 0:
                self._logger.warn("processor overloaded")
            self._dropped += 1
            displaced.drop("dropped")
        self._judge_later()
        if self._expiry is None:
            self._expiry = asyncio.get_running_loop().call_later(EXPIRY_S, self._drop_expired)

    def _start(self, task: Task) -> None:
        place = self._places.enter(task.flow)  # It doesn't keep the task, which has the message's bytes.
        self._judge_later()
        message = asyncio.ensure_future(task.run(place))
        self._messages.add(message)
        message.add_done_callback(lambda ended: self._ended(ended, place))

    def _ended(self, ended: "asyncio.Task[None]", place: Place) -> None:
        self._messages.discard(ended)
        if place.thread is None or place.thread.done():
            self._leave(place)
            return
        loop = asyncio.get_running_loop()
        place.thread.add_done_callback(lambda _: _call_soon(loop, lambda: self._leave(place)))

    def _leave(self, place: Place) -> None:
        self._places.leave(place)
        self._start_waiting()

    def _judge_later(self) -> None:
        after_s = self._places.judge_after_s(self._queue.count > 0)
        if after_s is None:
            return
        loop = asyncio.get_running_loop()
        if self._judging is not None:
            if self._judging.when() <= loop.time() + after_s:
                return
            self._judging.cancel()
        self._judging = loop.call_later(after_s, self._judge)

    def _judge(self) -> None:
        self._places.judge()
        self._judging = None
        self._start_waiting()
        self._judge_later()

    def _start_waiting(self) -> None:
        following = self._queue.take(self._places.has_place)
        while following is not None:
            self._start(following)
            following = self._queue.take(self._places.has_place)
        self._recover()

    def _drop_expired(self) -> None:
        self._queue.drop_expired(time.monotonic())
        self._expiry = None
        if self._queue.count > 0:
            self._expiry = asyncio.get_running_loop().call_later(EXPIRY_S, self._drop_expired)
        self._recover()

    def _recover(self) -> None:
        if self._queue.count == 0 and self._dropped > 0:
            self._logger.warn("processor no longer overloaded", dropped=self._dropped)
            self._dropped = 0


def _call_soon(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    """Called in a thread, which may end after the event loop."""
    try:
        loop.call_soon_threadsafe(callback)
    except RuntimeError:  # The loop is closed.
        pass


def places_of(limits: Limits) -> List[int]:
    """The places of each gate."""
    concurrency = CONCURRENCY if limits.concurrency is None else limits.concurrency
    return [-(-concurrency // share) for _, share, *_ in LANES]


def first_places_of(limits: Limits) -> int:
    """Places of the gate for the shortest messages beside these. A program that states a concurrency may rely on it."""
    return FIRST_PLACES if limits.concurrency is None else 0


class Gates:
    """A gate for each size, so that large messages hold up no small messages."""

    def __init__(self, limits: Limits, logger: Log, in_threads: bool) -> None:
        computing = limits.computing if in_threads else None
        firsts = (first_places_of(limits), 0, 0)
        self._gates = [
            (longest, Gate(Places(places, computing, first), FairQueue(limits.waiting, most_bytes, first_bytes), logger))
            for places, first, (longest, _, most_bytes, first_bytes) in zip(places_of(limits), firsts, LANES)
        ]

    def take(self, task: Task) -> None:
        for longest, gate in self._gates:
            if longest is None or task.size <= longest:
                gate.take(task)
                return

    def total(self, name: str) -> int:
        """`running`, `waiting`, `waiting_bytes` or `overloaded` of all gates."""
        return sum(int(getattr(gate, name)) for _, gate in self._gates)
