"""Shows how soon plain functions that wait begin, while more messages of their router wait: prints the number of functions
that have begun, and the longest time between two looks at the clocks of their threads, as JSON.
"""
import asyncio
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

from llm_gateway_sdk import Limits, RunningProcessor
from llm_gateway_sdk._messages import Messages

#: Half of the places are a router's.
BEGIN = 32


class Quiet:
    def __getattr__(self, name):
        return lambda *values, **fields: None


async def main():
    loop = asyncio.get_running_loop()
    released, begun, count = threading.Event(), asyncio.Event(), [0]
    delays = []
    call_later = loop.call_later

    def noted(delay, callback, *arguments, **options):
        if getattr(callback, "__name__", "") == "_judge" and messages.gates.total("waiting") > 0:
            delays.append(delay)
        return call_later(delay, callback, *arguments, **options)

    loop.call_later = noted

    def answer(fields, call):
        count[0] += 1
        if count[0] == BEGIN:
            loop.call_soon_threadsafe(begun.set)
        released.wait()

    async def respond(data):
        pass

    threads = ThreadPoolExecutor(BEGIN)
    messages = Messages(RunningProcessor(answer), Limits(concurrency=2 * BEGIN), Quiet(), Quiet(), threads)
    for _ in range(2 * BEGIN):
        await messages.take(SimpleNamespace(data=b"{}", headers={}, subject="", respond=respond))
    await begun.wait()
    longest_ms, at_most = max(delays) * 1000, count[0]
    released.set()
    await messages.idle()
    json.dump({"begun": at_most, "longest_ms": longest_ms}, sys.stdout)


asyncio.run(main())
