"""How many messages are worked on and wait, by their size."""
import asyncio
from typing import Dict, Set

from ._definition import Limits
from ._fair_queue import FairQueue, Task
from ._log import Log

KIB = 1024
#: Longest message in bytes, share of the concurrency, bytes that may wait.
LANES = ((16 * KIB, 1, 16 * KIB * KIB), (512 * KIB, 4, 32 * KIB * KIB), (None, 16, 32 * KIB * KIB))


class Gate:
    """Runs messages of one size; drops messages beyond the limits of waiting ones.

    A router takes no more places than it leaves free, so that the first message of another router finds one.
    """

    def __init__(self, concurrency: int, waiting: int, waiting_bytes: int, logger: Log) -> None:
        self._concurrency, self._logger = concurrency, logger
        self._queue = FairQueue(waiting, waiting_bytes)
        self._running: Set[asyncio.Task] = set()
        #: The places of each router that has any.
        self._places: Dict[bytes, int] = {}
        self._dropped = 0

    @property
    def running(self) -> int:
        return len(self._running)

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
        if self._has_place(task.flow):  # A router with waiting messages has none.
            self._start(task)
            return
        for displaced in self._queue.add(task):
            if self._dropped == 0:
                self._logger.warn("processor overloaded")
            self._dropped += 1
            displaced.drop()

    async def idle(self) -> None:
        while self._running:
            await asyncio.wait(self._running)
            # Callbacks of the ended tasks start the next tasks.
            await asyncio.sleep(0)

    def _has_place(self, flow: bytes) -> bool:
        return self._places.get(flow, 0) < self._concurrency - self.running

    def _start(self, task: Task) -> None:
        running = asyncio.ensure_future(task.run())
        self._running.add(running)
        self._places[task.flow] = self._places.get(task.flow, 0) + 1
        running.add_done_callback(lambda ended: self._ended(ended, task.flow))

    def _ended(self, ended: asyncio.Task, flow: bytes) -> None:
        self._running.discard(ended)
        self._places[flow] -= 1
        if self._places[flow] == 0:
            del self._places[flow]
        following = self._queue.take(self._has_place)
        while following is not None:
            self._start(following)
            following = self._queue.take(self._has_place)
        if self._queue.count == 0 and self._dropped > 0:
            self._logger.warn("processor no longer overloaded", dropped=self._dropped)
            self._dropped = 0


class Gates:
    """A gate for each size, so that large messages hold up no small messages."""

    def __init__(self, limits: Limits, logger: Log) -> None:
        self._gates = [
            (longest, Gate(-(-limits.concurrency // share), limits.waiting, most_bytes, logger))
            for longest, share, most_bytes in LANES
        ]

    def take(self, task: Task) -> None:
        for longest, gate in self._gates:
            if longest is None or task.size <= longest:
                gate.take(task)
                return

    def total(self, name: str) -> int:
        """`running`, `waiting`, `waiting_bytes` or `overloaded` of all gates."""
        return sum(int(getattr(gate, name)) for _, gate in self._gates)

    async def idle(self) -> None:
        for _, gate in self._gates:
            await gate.idle()
