"""Messages of the gateway: read, answered, and counted by their outcome."""
import asyncio
import inspect
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, List

import nats.errors

from ._definition import Call, Limits, RunningProcessor
from ._encode import encode, encode_in_turns, is_small
from ._fair_queue import Task
from ._gate import Gates
from ._log import Log, failure_of
from ._metrics import Metrics
from ._places import Place

DEADLINE = re.compile(r"[0-9]{1,15}")
#: A string without escapes, or its beginning. A repeated group would keep some 70 bytes for each repeat.
STRINGS = re.compile(rb'"[^"]*"?')
#: The bytes that are searched at a time: a search keeps its pieces, and the other threads wait for it.
PIECE = 64 * 1024
#: A value takes many times its bytes once it is read; no call of a person has more.
MOST_VALUES = 2_000_000
SHORT = 16 * 1024
#: Longer messages take milliseconds to read, in which the event loop would answer no other message.
READ_IN_LOOP = 64 * 1024
GL_PATH = b'{"gl_path":"'
LONGEST_PATH = 1024
LONGEST_NAME = 1024
LATE_WARNING_S = 60


#: Python's own functions, which change nothing: other threads get their turn at each call. The parser itself, which is
#: written in C, would keep the event loop waiting until the end of the message.
TURNS = {
    "object_hook": lambda fields: fields,
    "parse_int": lambda digits: int(digits),
    "parse_float": lambda digits: float(digits),
}


class NotAnObject(Exception):
    pass


class TooManyValues(Exception):
    pass


class Messages:
    """Answers the messages of one subscription."""

    def __init__(
        self, running: RunningProcessor, limits: Limits, logger: Log, metrics: Metrics, threads: ThreadPoolExecutor
    ) -> None:
        self._running, self._limits, self._logger, self._metrics = running, limits, logger, metrics
        self._threads = threads
        self._last_warning = -float("inf")
        #: Set while no message waits for its outcome.
        self._idle = asyncio.Event()
        self._idle.set()
        #: The messages that have no outcome yet.
        self.open = 0
        self._closed = False
        self._is_coroutine = inspect.iscoroutinefunction(running.answer)
        self.gates = Gates(limits, logger, not self._is_coroutine)

    async def take(self, message: Any) -> None:
        """Called for each message; returns at once."""
        arrived = time.monotonic()
        left = self._left_s(message)
        if left <= 0:
            self._warn_late(-left)
            self._metrics.counted("expired", 0)
            return

        deadline = arrived + left

        async def run(place: Place) -> None:
            self._ended(await self._outcome(message, deadline, place), arrived)

        self.open += 1
        self._idle.clear()
        data = message.data
        self.gates.take(Task(len(data), flow_of(message), deadline, run, lambda outcome: self._ended(outcome, arrived)))

    def _ended(self, outcome: str, arrived: float) -> None:
        self._metrics.counted(outcome, time.monotonic() - arrived)
        self.open -= 1
        if self.open == 0:
            self._idle.set()

    async def idle(self) -> None:
        """Returns when every message has its outcome; threads of messages that were given up may go on."""
        await self._idle.wait()

    def close(self) -> None:
        self._closed = True
        self._threads.shutdown(wait=False)

    def _left_s(self, message: Any) -> float:
        text = (message.headers or {}).get("Gateway-Deadline", "")
        most = self._limits.answer_timeout_ms / 1000
        if self._limits.takes_late or DEADLINE.fullmatch(text) is None:
            return most
        return min(most, int(text) / 1000 - time.time())

    async def _outcome(self, message: Any, deadline: float, place: Place) -> str:
        try:
            left = deadline - time.monotonic()
            if left <= 0:
                return "expired"
            text = await asyncio.wait_for(self._text(message.data, Call(left * 1000), place), left)
            await message.respond(text)
            return "answered" if len(text) > 2 else "nothing"
        except NotAnObject:
            self._logger.warn("message is not an object", subject=message.subject)
            return "not an object"
        except nats.errors.MaxPayloadError:
            self._logger.warn("answer not sent: it is too large for the bus", subject=message.subject)
            return "not taken"
        except (KeyboardInterrupt, SystemExit):
            raise
        # Whatever goes wrong with a message stays in that message. CancelledError is no Exception: it comes from the
        # answer, which may await a task that somebody cancelled, and from the SDK only at the end of the program.
        except BaseException as error:
            if self._closed and isinstance(error, asyncio.CancelledError):
                raise
            if time.monotonic() >= deadline:
                return "expired"
            self._logger.error("processor gave no answer", subject=message.subject, **failure_of(error))
            return "failed"

    async def _text(self, data: bytes, call: Call, place: Place) -> bytes:
        answer = await self._answer(data, call, place)
        if answer is None:
            return b"{}"
        return encode(answer) if is_small(answer) else await self._in_thread(place, _encode_given, answer)

    async def _answer(self, data: bytes, call: Call, place: Place) -> Any:
        if self._is_coroutine:
            fields = read_fields(data) if len(data) <= READ_IN_LOOP else await self._in_thread(place, _read_given, data)
            return await self._running.answer(fields, call)
        answer = await self._in_thread(place, lambda given: self._running.answer(_read_given(given), call), data)
        return await answer if inspect.isawaitable(answer) else answer

    async def _in_thread(self, place: Place, work: Callable[[List[Any]], Any], value: Any) -> Any:
        # The thread takes the value from this list: executor and frames keep their arguments until the thread ends.
        given = [value]

        def begin() -> Any:
            place.begin()
            # Another thread may have given up the message a moment ago.
            return work(given) if given else None

        try:
            place.thread = self._threads.submit(begin)
            return await asyncio.wrap_future(place.thread)
        finally:
            given.clear()

    def _warn_late(self, late_s: float) -> None:
        """Once in a while: the gateway's clock and this machine's may differ."""
        if time.monotonic() - self._last_warning < LATE_WARNING_S:
            return
        self._last_warning = time.monotonic()
        self._logger.warn("message came after its deadline", late_ms=round(late_s * 1000))


def flow_of(message: Any) -> bytes:
    """The router that a message's header names.

    A gateway of an earlier version sends no such header. Its messages show their router, where a row selects `gl_path`,
    in the body's first field, before all fields with a caller's content; its other messages count as one router.
    """
    name = (message.headers or {}).get("Gateway-Router", "")[:LONGEST_NAME]
    return name.encode(errors="replace") if name else path_in(message.data)


def path_in(data: bytes) -> bytes:
    """The value of `gl_path` without decoding the message; empty where the message doesn't begin with it."""
    start = len(GL_PATH)
    end = data.find(b'"', start, start + LONGEST_PATH) if data.startswith(GL_PATH) else -1
    return data[start:end] if end >= 0 else b""


def _read_given(given: List[bytes]) -> dict:
    return read_fields(given.pop())


def _encode_given(given: List[Any]) -> bytes:
    return encode_in_turns(given.pop())


def read_fields(data: bytes) -> dict:
    """The fields of a message; raises where it is no JSON object, or nests deeper than Python reads."""
    if len(data) > SHORT and count_values(data) > MOST_VALUES:
        raise TooManyValues
    try:
        text = data.decode("utf-8")
        fields = json.loads(text, parse_constant=_no_constant, **(TURNS if len(data) > READ_IN_LOOP else {}))
    except ValueError:
        raise NotAnObject from None
    if not isinstance(fields, dict):
        raise NotAnObject
    return fields


def count_values(data: bytes) -> int:
    """The values of a JSON text; stops once there are too many."""
    values, start, in_string = 1, 0, False
    while start < len(data) and values <= MOST_VALUES:
        piece = data[start : start + PIECE]
        if (len(piece) - len(piece.rstrip(b"\\"))) % 2 == 1:  # The piece would end within an escape.
            piece = data[start : start + PIECE + 1]
        start += len(piece)
        text = piece.replace(b"\\\\", b"").replace(b'\\"', b"")
        if in_string:
            text = b'"' + text
        in_string = text.count(b'"') % 2 == 1
        bare = STRINGS.sub(b"", text)
        values += bare.count(b",") + bare.count(b"{") + bare.count(b"[")
    return values


def _no_constant(_: str) -> None:
    """NaN and Infinity are no JSON."""
    raise ValueError
