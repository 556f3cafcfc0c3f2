"""Messages that wait for their turn, by the router that they belong to."""
from concurrent.futures import Future
from typing import Any, Awaitable, Callable, Dict, List, NamedTuple, Optional


class Place:
    """A place of a gate, which a message has until its outcome, and the message's thread until the thread ends."""

    def __init__(self, flow: bytes) -> None:
        self.flow = flow
        #: The work of the message's thread, if it has one.
        self.thread: Optional["Future[Any]"] = None


class Task(NamedTuple):
    size: int
    #: The router of the message; messages without a known router share one flow.
    flow: bytes
    #: A time of `time.monotonic()`, after which nobody waits for the answer.
    deadline: float
    run: Callable[[Place], Awaitable[None]]
    #: Called with `dropped` or `expired` when the message leaves the queue without having been worked on.
    drop: Callable[[str], None]


class Flow:
    """The waiting messages of a router, the oldest first."""

    def __init__(self) -> None:
        self.tasks: List[Task] = []
        self.bytes = 0


class FairQueue:
    """A queue in which routers take turns; of a router the shortest message goes first, among equals the oldest.

    When the queue is full, the router with the largest share loses its newest message. So a flood displaces only its
    own messages.
    """

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most, self._most_bytes = most, most_bytes
        #: Ordered by turn: the next router is first.
        self._flows: Dict[bytes, Flow] = {}
        self.count = self.bytes = 0

    def add(self, task: Task, now: float) -> List[Task]:
        """Returns the messages that had to make room: older ones, or the new one. Expired messages take no room."""
        if not self._has_room(task):
            self.drop_expired(now)
        displaced: List[Task] = []
        while not self._has_room(task):
            fullest = max(self._flows, key=lambda name: self._share(name, 0, 0))
            if self._share(fullest, 0, 0) <= self._share(task.flow, 1, task.size):
                return [*displaced, task]
            displaced.append(self._remove(fullest, -1))
        flow = self._flows.setdefault(task.flow, Flow())
        flow.tasks.append(task)
        flow.bytes += task.size
        self.count += 1
        self.bytes += task.size
        return displaced

    def take(self, has_place: Callable[[bytes], bool]) -> Optional[Task]:
        """The next message; a router for which `has_place` returns False keeps its turn."""
        for name, flow in self._flows.items():
            if not has_place(name):
                continue
            # Sizes are compared by powers of two, so that a message is rarely overtaken for a few bytes.
            shortest = min(range(len(flow.tasks)), key=lambda index: flow.tasks[index].size.bit_length())
            task = self._remove(name, shortest)
            if flow.tasks:  # Behind all others.
                self._flows[name] = self._flows.pop(name)
            return task
        return None

    def drop_expired(self, now: float) -> None:
        for name, flow in list(self._flows.items()):
            for index in reversed(range(len(flow.tasks))):
                if flow.tasks[index].deadline <= now:
                    self._remove(name, index).drop("expired")

    def _has_room(self, task: Task) -> bool:
        if self.count == 0:
            return True
        return self.count < self._most and self.bytes + task.size <= self._most_bytes

    def _share(self, name: bytes, tasks: int, size: int) -> int:
        """The share of a router with so much more, by messages or by bytes, whichever is larger."""
        flow = self._flows.get(name) or Flow()
        return max((len(flow.tasks) + tasks) * self._most_bytes, (flow.bytes + size) * self._most)

    def _remove(self, name: bytes, index: int) -> Task:
        flow = self._flows[name]
        task = flow.tasks.pop(index)
        flow.bytes -= task.size
        self.count -= 1
        self.bytes -= task.size
        if not flow.tasks:
            del self._flows[name]
        return task
