"""Adds messages of a thousand routers to a full queue, and prints how many routers' shares it looked at for each."""
import json
import sys

from llm_gateway_sdk._fair_queue import FairQueue, Task

ROUTERS = 1_000
looks = 0


class Counting(FairQueue):
    def _shares(self, name, new=()):
        global looks
        looks += 1
        return super()._shares(name, new)


def add(queue, router, size):
    task = Task(size, str(router).encode(), 10.0, lambda place: None, lambda outcome: None)
    return len(queue.add(task, 0))


queue = Counting(ROUTERS, 1_000_000)
for router in range(ROUTERS):
    add(queue, router, 10)
found = []
for router, size in ((0, 10), (ROUTERS, 5), (ROUTERS + 1, 20)):
    looks = 0
    dropped = add(queue, router, size)
    found.append({"looks": looks, "dropped": dropped})
json.dump({"found": found, "count": queue.count}, sys.stdout)
