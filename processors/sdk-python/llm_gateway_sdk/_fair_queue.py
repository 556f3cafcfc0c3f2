"""Messages that wait for their turn, by the router that they belong to."""
import heapq
from typing import Awaitable, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ._places import Place

#: The most outdated entries of the heap for each router, and a few more.
OUTDATED, A_FEW = 4, 64


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
        #: The number of its newest entry in the heap.
        self.entry = 0


class FairQueue:
    """A queue in which routers take turns; of a router the shortest message goes first, among equals the oldest.

    When the queue is full, the router with the largest share loses its newest message. The oldest message of a router
    doesn't count in its share, and may use `first_bytes` beside `most_bytes`. So a flood displaces only its own
    messages, and a router with a single message loses it, however large it is, only where the single messages of all
    routers don't fit.
    """

    def __init__(self, most: int, most_bytes: int, first_bytes: int = 0) -> None:
        self._most, self._most_bytes, self._first_bytes = most, most_bytes, first_bytes
        #: Ordered by turn: the next router is first.
        self._flows: Dict[bytes, Flow] = {}
        #: Both shares of each router, negative, the number of the entry, the router. The fullest is first; of a router
        #: the newest entry counts. A search among a thousand routers would take milliseconds for each message.
        self._heap: List[Tuple[int, int, int, bytes]] = []
        self._entries = 0
        #: No message expires before this time.
        self._soonest = float("inf")
        self.count = self.bytes = 0

    def add(self, task: Task, now: float) -> List[Task]:
        """Returns the messages that had to make room: older ones, or the new one. Expired messages take no room."""
        if now >= self._soonest and not self._has_room(task):
            self.drop_expired(now)
        displaced: List[Task] = []
        while not self._has_room(task):
            fullest = self._fullest()
            if fullest is None or self._shares(fullest) <= self._shares(task.flow, [task]):
                # The message finds no room in the end, so it displaces none.
                for kept in reversed(displaced):
                    self._put(kept)
                return [task]
            displaced.append(self._remove(fullest, -1))
        self._put(task)
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
        if now < self._soonest:
            return
        self._soonest = float("inf")
        for name, flow in list(self._flows.items()):
            for index in reversed(range(len(flow.tasks))):
                deadline = flow.tasks[index].deadline
                if deadline <= now:
                    self._remove(name, index).drop("expired")
                else:
                    self._soonest = min(self._soonest, deadline)

    def _fullest(self) -> Optional[bytes]:
        while self._heap:
            *_, entry, name = self._heap[0]
            flow = self._flows.get(name)
            if flow is not None and flow.entry == entry:
                return name
            heapq.heappop(self._heap)
        return None

    def _note(self, name: bytes, flow: Flow) -> None:
        """Called when the shares of a router have changed."""
        if len(self._heap) > OUTDATED * len(self._flows) + A_FEW:
            self._heap = [entry for entry in self._heap if entry[2] == self._entry_of(entry[3])]
            heapq.heapify(self._heap)
        self._entries += 1
        flow.entry = self._entries
        further, all_of_them = self._shares(name)
        heapq.heappush(self._heap, (-further, -all_of_them, flow.entry, name))

    def _entry_of(self, name: bytes) -> int:
        flow = self._flows.get(name)
        return 0 if flow is None else flow.entry

    def _has_room(self, task: Task) -> bool:
        if self.count == 0:
            return True
        if self.count >= self._most:
            return False
        total = self.bytes + task.size
        if total <= self._most_bytes or total > self._most_bytes + self._first_bytes:
            return total <= self._most_bytes
        further = sum(flow.bytes - flow.tasks[0].size for flow in self._flows.values())
        return task.flow not in self._flows or further + task.size <= self._most_bytes

    def _shares(self, name: bytes, new: Sequence[Task] = ()) -> Tuple[int, int]:
        """The shares of a router, with new messages, without its oldest message and with it."""
        flow = self._flows.get(name) or Flow()
        tasks = len(flow.tasks) + len(new)
        size = flow.bytes + sum(task.size for task in new)
        oldest = (flow.tasks or new)[0]
        return self._share(tasks - 1, size - oldest.size), self._share(tasks, size)

    def _share(self, tasks: int, size: int) -> int:
        """A share by messages or by bytes, whichever is larger."""
        return max(tasks * self._most_bytes, size * self._most)

    def _put(self, task: Task) -> None:
        flow = self._flows.setdefault(task.flow, Flow())
        flow.tasks.append(task)
        flow.bytes += task.size
        self.count += 1
        self.bytes += task.size
        self._soonest = min(self._soonest, task.deadline)
        self._note(task.flow, flow)

    def _remove(self, name: bytes, index: int) -> Task:
        flow = self._flows[name]
        task = flow.tasks.pop(index)
        flow.bytes -= task.size
        self.count -= 1
        self.bytes -= task.size
        if flow.tasks:
            self._note(name, flow)
        else:
            del self._flows[name]
        return task
