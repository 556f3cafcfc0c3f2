"""Adds messages to a queue and prints those that it drops, and those that are left, as JSON.

The input is JSON: the limits of the queue and a list of messages, each its name, its router and its bytes.
"""
import json
import sys

from llm_gateway_sdk._fair_queue import FairQueue, Task

given = json.load(sys.stdin)
queue = FairQueue(*given["limits"])
names, dropped, left = {}, [], []
for name, flow, size in given["messages"]:
    task = Task(size, flow.encode(), float("inf"), lambda place: None, lambda outcome: None)
    names[id(task.run)] = name, task
    dropped += [names[id(lost.run)][0] for lost in queue.add(task, 0)]
task = queue.take(lambda flow: True)
while task is not None:
    left.append(names[id(task.run)][0])
    task = queue.take(lambda flow: True)
json.dump({"dropped": dropped, "left": left, "bytes": queue.bytes}, sys.stdout)
