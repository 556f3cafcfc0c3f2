"""The places of a gate, by the router whose messages have them."""
import sys
import threading
import time
from concurrent.futures import Future
from typing import Any, Dict, Optional, Set

#: macOS and Windows have no clocks of other threads: there all threads count as threads that wait.
HAS_CLOCKS = hasattr(time, "pthread_getcpuclockid")


class Place:
    """A place of a gate, which a message has until its outcome, and the message's thread until the thread ends."""

    def __init__(self, flow: bytes, computes: bool) -> None:
        self.flow = flow
        #: The work of the message's thread, if it has one.
        self.thread: Optional["Future[Any]"] = None
        #: Whether the thread computes, as far as is known: a new one does.
        self.computes = computes
        self._clock: Optional[int] = None
        self._spent_s = 0.0

    def begin(self) -> None:
        """Called in the thread before its work."""
        if HAS_CLOCKS:
            self._spent_s, self._clock = 0.0, time.pthread_getcpuclockid(threading.get_ident())

    def judge(self) -> None:
        """Finds out whether the thread has computed since the last call, at least two switch intervals ago.

        A thread that waits for Python's lock asks for it again at each switch interval, so its CPU time grows. That of a
        thread that waits for anything else doesn't.
        """
        if self.thread is not None and self.thread.done():
            self.computes = False
        elif self._clock is not None:
            spent_s = time.clock_gettime(self._clock)
            self.computes = spent_s > self._spent_s
            self._spent_s = spent_s


class Places:
    """A router takes no more places than it leaves free, so that the first message of another router finds one.

    With `computing` no more than so many messages of a router compute in threads. The threads that compute share one
    lock, so with 32 of them the thread of another router would have a 33rd of the time.
    """

    def __init__(self, most: int, computing: Optional[int]) -> None:
        self._most, self._most_computing = most, computing if HAS_CLOCKS else None
        self._places: Set[Place] = set()
        #: The places of each router that has any, and those whose threads compute.
        self._counts: Dict[bytes, int] = {}
        self._computing: Dict[bytes, int] = {}

    @property
    def taken(self) -> int:
        return len(self._places)

    @property
    def judge_after_s(self) -> Optional[float]:
        """The time until `judge` sees whether a thread waits; None where it has nothing to do."""
        if self._most_computing is None or not self._places:
            return None
        return 2 * sys.getswitchinterval()

    def has_place(self, flow: bytes) -> bool:
        if self._most_computing is not None and self._computing.get(flow, 0) >= self._most_computing:
            return False
        return self._counts.get(flow, 0) < self._most - self.taken

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
        self._computing.clear()
        for place in self._places:
            place.judge()
            _count(self._computing, place.flow, int(place.computes))


def _count(counts: Dict[bytes, int], flow: bytes, more: int) -> None:
    counts[flow] = counts.get(flow, 0) + more
    if counts[flow] == 0:
        del counts[flow]
