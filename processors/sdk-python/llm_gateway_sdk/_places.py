"""The places of a gate, by the router whose messages have them."""
import sys
import threading
import time
from concurrent.futures import Future
from typing import Any, Dict, Optional, Set

#: macOS and Windows have no clocks of other threads: there all threads count as threads that wait.
HAS_CLOCKS = hasattr(time, "pthread_getcpuclockid")
#: The time between two looks at the clocks while messages wait.
LOOK_S = 0.001
#: Python's lock counts as free between two looks if all threads together computed for less than this part of the time.
FREE = 0.5
#: A thread that has computed for longer counts as one that waits only if its clock stands still for long.
SHORT_WORK_S = 0.01


class Place:
    """A place of a gate, which a message has until its outcome, and the message's thread until the thread ends."""

    def __init__(self, flow: bytes, computes: bool) -> None:
        self.flow = flow
        #: The work of the message's thread, if it has one.
        self.thread: Optional["Future[Any]"] = None
        #: Whether the thread computes, as far as is known: a new one does.
        self.computes = computes
        self._clock: Optional[int] = None
        #: The thread's CPU time: at the beginning of its work, at the last look, and at the last one after a long time.
        self._begin_s = self._last_s = self._long_s = 0.0
        self._long_at = 0.0

    def begin(self) -> None:
        """Called in the thread before its work."""
        if HAS_CLOCKS:
            self._begin_s = self._last_s = self._long_s = time.thread_time()
            self._clock = time.pthread_getcpuclockid(threading.get_ident())

    def judge(self, now: float, was_free: bool) -> None:
        """Finds out whether the thread computes.

        A thread that waits for Python's lock asks for it again at each switch interval, so its CPU time grows. That of a
        thread that waits for anything else doesn't. While the lock is free, nothing has to wait for it, so that a thread
        whose clock stands still from one look to the next waits for something else.
        """
        if self.thread is not None and self.thread.done():
            self.computes = False
        elif self._clock is not None:
            spent_s = time.clock_gettime(self._clock)
            stands_still, self._last_s = spent_s == self._last_s, spent_s
            if was_free and stands_still and spent_s - self._begin_s < SHORT_WORK_S:
                self.computes = False
                self._long_s, self._long_at = spent_s, now
            elif now - self._long_at >= 2 * sys.getswitchinterval():
                self.computes = spent_s > self._long_s
                self._long_s, self._long_at = spent_s, now


class Places:
    """A router takes no more places than it leaves free, so that the first message of another router finds one.

    Seven routers could take 64 places so. Beside them `first` places are there for messages that are the only ones of
    their routers.

    With `computing` no more than so many messages of a router compute in threads. The threads that compute share one
    lock, so with 32 of them the thread of another router would have a 33rd of the time.
    """

    def __init__(self, most: int, computing: Optional[int], first: int = 0) -> None:
        self._most, self._most_computing, self._first = most, computing if HAS_CLOCKS else None, first
        self._places: Set[Place] = set()
        #: The places of each router that has any, and those whose threads compute.
        self._counts: Dict[bytes, int] = {}
        self._computing: Dict[bytes, int] = {}
        #: The time of the last look, and the CPU time of all threads then.
        self._looked_at = self._spent_s = 0.0

    @property
    def taken(self) -> int:
        return len(self._places)

    def judge_after_s(self, hurry: bool) -> Optional[float]:
        """The time until `judge` sees whether a thread waits; None where it has nothing to do."""
        if self._most_computing is None or not self._places:
            return None
        return LOOK_S if hurry and self.taken < self._most else 2 * sys.getswitchinterval()

    def has_place(self, flow: bytes) -> bool:
        own = self._counts.get(flow, 0)
        if own == 0:
            return self.taken < self._most + self._first
        if self._most_computing is not None and self._computing.get(flow, 0) >= self._most_computing:
            return False
        return own < self._most - self.taken

    def enter(self, flow: bytes) -> Place:
        place = Place(flow, self._most_computing is not None)
        self._places.add(place)
        _count(self._counts, flow, 1)
        _count(self._computing, flow, int(place.computes))
        return place

    def leave(self, place: Place) -> None:
        self._places.remove(place)
        _count(self._counts, place.flow, -1)
        _count(self._computing, place.flow, -int(place.computes))

    def judge(self) -> None:
        now, spent_s = time.monotonic(), time.process_time()
        was_free = spent_s - self._spent_s < FREE * (now - self._looked_at)
        self._looked_at, self._spent_s = now, spent_s
        self._computing.clear()
        for place in self._places:
            place.judge(now, was_free)
            _count(self._computing, place.flow, int(place.computes))


def _count(counts: Dict[bytes, int], flow: bytes, more: int) -> None:
    counts[flow] = counts.get(flow, 0) + more
    if counts[flow] == 0:
        del counts[flow]
