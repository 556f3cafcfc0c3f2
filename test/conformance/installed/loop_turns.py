"""Shows that the event loop takes turns while the SDK reads a large message and encodes a large answer.

The bytes of the message, and the values of the answer, wait for a turn of the loop before they are read. If the loop
itself read them, they would wait in vain.
"""
import asyncio
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

from llm_gateway_sdk import Limits, RunningProcessor
from llm_gateway_sdk._messages import Messages

PATIENT_S = 10
LARGE = 100_000


class Turn:
    """Notes whether the loop takes a turn while a thread waits for it."""

    def __init__(self, loop):
        self._loop = loop
        self.taken = []

    def wait(self):
        turn = threading.Event()
        self._loop.call_soon_threadsafe(turn.set)
        self.taken.append(turn.wait(PATIENT_S))


class WaitingBytes(bytes):
    turn = None

    def decode(self, *arguments):
        self.turn.wait()
        return super().decode(*arguments)


class WaitingFields(dict):
    turn = None

    def items(self):
        self.turn.wait()
        return super().items()


class Quiet:
    def __getattr__(self, name):
        return lambda *values, **fields: None


async def main():
    turn = Turn(asyncio.get_running_loop())
    WaitingBytes.turn = WaitingFields.turn = turn

    async def answer(fields, call):
        return WaitingFields(text=fields["text"])

    replies = []

    async def respond(text):
        replies.append(json.loads(text))

    messages = Messages(RunningProcessor(answer), Limits(), Quiet(), Quiet(), ThreadPoolExecutor(4))
    data = WaitingBytes(json.dumps({"text": "x" * LARGE}).encode())
    await messages.take(SimpleNamespace(data=data, headers=None, subject="test", respond=respond))
    await messages.idle()
    messages.close()
    answered = replies == [{"text": "x" * LARGE}]
    json.dump({"answered": answered, "turns": turn.taken}, sys.stdout)


asyncio.run(main())
