"""State that replicas share and that survives their restarts: buckets of the bus's key-value store."""
import asyncio
import base64
import binascii
import itertools
import json
import re
import time
from typing import Any, Awaitable, Callable, Dict, Mapping, NamedTuple, Optional, Set

import nats.errors

from ._log import Log, failure_of

#: For an operation with all its tries.
OPERATION_TIMEOUT_S = 2
OPEN_AGAIN_S = 1
WATCH_AGAIN_S = 0.5
HEARTBEAT_S = 1
#: A watch that hears neither a change nor a heartbeat for this long makes its consumer again.
SILENCE_S = 4
INACTIVE_S = 10
NANOSECONDS = 1_000_000_000
MOST_KEY_BYTES = 1024
#: Space in the largest message for the header of a conditional write.
HEADER_BYTES = 128
#: Marks a key in UTF-16: the empty key, whose UTF-8 would be no token, and keys with half a surrogate pair.
UTF16_MARK = "="
OPERATION_HEADER = "KV-Operation"
EXPECTED_HEADER = "Nats-Expected-Last-Subject-Sequence"
#: Error numbers of JetStream (nats-server, errors.json).
STREAM_NOT_FOUND, NAME_IN_USE, NO_MESSAGE, WRONG_LAST_SEQUENCE = 10_059, 10_058, 10_037, 10_071
MESSAGE_TOO_LARGE, STORE_FAILED = 10_054, 10_077
NO_JETSTREAM = (10_035, 10_039, 10_076)
FULL = (10_023, 10_028, 10_047)


class Entry(NamedTuple):
    value: bytes
    #: Grows with every write to the bucket.
    revision: int


class ReadOutcome(NamedTuple):
    #: `found`, `missing` or `failed`.
    kind: str
    #: Of `found`.
    entry: Optional[Entry] = None
    #: Of `failed`: `unavailable`.
    error: str = ""


class WriteOutcome(NamedTuple):
    #: `written`, `conflict` (another client wrote the key first) or `failed`.
    kind: str
    #: Of `written`.
    revision: int = 0
    #: Of `failed`: `unavailable`, `too large` or `full`.
    error: str = ""


Changed = Callable[[str, Optional[Entry]], None]
UNAVAILABLE = WriteOutcome("failed", error="unavailable")
TOO_LARGE = WriteOutcome("failed", error="too large")


class StoreError(Exception):
    """No answer of the store (NO_STORE, NO_ANSWER), or its error number (STORE_10059)."""

    def __init__(self, code: str, number: int = 0, description: str = "") -> None:
        super().__init__(code)
        self.code, self.number, self.description = code, number, description

    @property
    def lacks_bucket(self) -> bool:
        """A write to a missing bucket has no responder."""
        return self.number == STREAM_NOT_FOUND or self.code == "NO_STORE"


class KeyValue:
    """A bucket. Keys are any strings up to 1 KB. No operation raises. An operation takes at most two seconds, the
    `update` of a deleted key at most six.

    Call the operations in the event loop: from `create`, or from an `async def answer`.
    """

    def __init__(self, bus: Any, logger: Log, options: Mapping[str, Any]) -> None:
        self._bus, self._logger, self._options = bus, logger, options
        self.name = re.sub(r"[^A-Za-z0-9_-]", "_", options["bucket"])
        self.stream = f"KV_{self.name}"
        self.prefix = f"$KV.{self.name}."
        self._lock = asyncio.Lock()
        self._is_open = False
        self._open_at = 0.0
        self._failure = StoreError("NO_ANSWER")
        self._warned = ""

    async def get(self, key: str) -> ReadOutcome:
        token = encode_key(key)
        if token is None:
            return ReadOutcome("missing")
        try:
            found = await self.run(lambda: self._last(token))
        except StoreError:
            return ReadOutcome("failed", error="unavailable")
        if found is None or found[1]:
            return ReadOutcome("missing")
        return ReadOutcome("found", found[0])

    async def put(self, key: str, value: bytes) -> WriteOutcome:
        return await self._write(key, value, {})

    async def update(self, key: str, value: bytes, revision: int) -> WriteOutcome:
        """Writes only where the key's newest revision is `revision`; 0: only where the key doesn't exist."""
        outcome = await self._write(key, value, {EXPECTED_HEADER: str(revision)})
        token = encode_key(key)
        if outcome.kind != "conflict" or revision != 0 or token is None:
            return outcome
        try:
            found = await self.run(lambda: self._last(token))
        except StoreError:
            return UNAVAILABLE
        if found is None or not found[1]:
            return outcome
        # A deleted key doesn't exist, but its deletion has a revision.
        return await self._write(key, value, {EXPECTED_HEADER: str(found[0].revision)})

    async def delete(self, key: str) -> WriteOutcome:
        return await self._write(key, b"", {OPERATION_HEADER: "DEL"})

    def watch(self, changed: Changed) -> "Watch":
        """Reports every existing entry, then every change in order; None: deleted or expired.

        After a lost connection all entries are reported again. The watch starts as soon as the store can be reached.
        """
        return Watch(self, changed, self._logger, self._options.get("ttl_ms"))

    @property
    def reconnects(self) -> int:
        return self._bus.stats["reconnects"]

    async def run(self, operation: Callable[[], Awaitable[Any]]) -> Any:
        """Runs an operation. A missing bucket is made, and the operation tried once more."""
        try:
            return await asyncio.wait_for(self._run(operation), OPERATION_TIMEOUT_S)
        except asyncio.TimeoutError:
            raise StoreError("NO_ANSWER") from None

    async def _run(self, operation: Callable[[], Awaitable[Any]]) -> Any:
        await self._open()
        try:
            return await operation()
        except StoreError as error:
            if not error.lacks_bucket:
                raise
        self._is_open = False
        await self._open()
        return await operation()

    async def _open(self) -> None:
        async with self._lock:
            if self._is_open:
                return
            if not self._bus.is_connected:
                raise StoreError("NO_ANSWER")
            if time.monotonic() < self._open_at:
                raise self._failure
            try:
                await self._make()
            except StoreError as error:
                self._failed(error)
                raise
            if self._warned:
                self._logger.info("key-value store available", bucket=self.name)
            self._is_open, self._warned = True, ""

    def _failed(self, error: StoreError) -> None:
        self._failure, self._open_at = error, time.monotonic() + OPEN_AGAIN_S
        # One line for each reason: a bus may never get a store.
        if error.code != self._warned and self._bus.is_connected:
            self._logger.warn("key-value store not available", bucket=self.name, code=error.code)
            self._warned = error.code

    async def _make(self) -> None:
        """Makes the bucket where it is missing; an existing one is used as it is, whatever its settings."""
        try:
            await self.api(f"STREAM.INFO.{self.stream}", {})
            return
        except StoreError as error:
            if error.number != STREAM_NOT_FOUND:
                raise
        age = int((self._options.get("ttl_ms") or 0) * 1_000_000)
        two_minutes = 120 * NANOSECONDS
        config = {
            "name": self.stream,
            "subjects": [f"{self.prefix}>"],
            "storage": self._options["storage"],
            "max_bytes": self._options["max_bytes"],
            "max_msgs_per_subject": 1,
            "max_age": age,
            "duplicate_window": min(age, two_minutes) if age else two_minutes,
            "retention": "limits",
            "discard": "new",
            "num_replicas": 1,
            "deny_delete": True,
            "allow_rollup_hdrs": True,
        }
        try:
            await self.api(f"STREAM.CREATE.{self.stream}", config)
        except StoreError as error:
            # Another replica made it at the same moment.
            if error.number != NAME_IN_USE:
                raise

    async def _last(self, token: str) -> Any:
        """The key's newest entry and whether it is a deletion; None where there is none."""
        try:
            found = await self.api(f"STREAM.MSG.GET.{self.stream}", {"last_by_subj": self.prefix + token})
        except StoreError as error:
            if error.number == NO_MESSAGE:
                return None
            raise
        message = found.get("message", {})
        header = base64.b64decode(message.get("hdrs") or "")
        entry = Entry(base64.b64decode(message.get("data") or ""), message.get("seq", 0))
        return entry, OPERATION_HEADER.encode() in header

    async def _write(self, key: str, value: bytes, headers: Dict[str, str]) -> WriteOutcome:
        token = encode_key(key)
        most = self._bus.max_payload - (HEADER_BYTES if headers else 0) if self._bus.is_connected else len(value)
        if token is None or len(value) > most:
            return TOO_LARGE
        try:
            # A copy, since the client adds headers of its own.
            answer = await self.run(lambda: self.request(self.prefix + token, value, dict(headers) or None))
        except StoreError as error:
            return _refused(error)
        return WriteOutcome("written", answer.get("seq", 0))

    async def api(self, subject: str, value: Mapping[str, Any]) -> Mapping[str, Any]:
        return await self.request(f"$JS.API.{subject}", json.dumps(value).encode())

    async def request(
        self, subject: str, data: bytes, headers: Optional[Dict[str, str]] = None
    ) -> Mapping[str, Any]:
        # The client would keep a request without a connection and send it late.
        if not self._bus.is_connected:
            raise StoreError("NO_ANSWER")
        try:
            message = await self._bus.request(subject, data, timeout=OPERATION_TIMEOUT_S, headers=headers)
            answer = json.loads(message.data)
        except nats.errors.NoRespondersError:
            raise StoreError("NO_STORE") from None
        except (nats.errors.Error, ValueError):
            raise StoreError("NO_ANSWER") from None
        error = answer.get("error")
        if error is None:
            return answer
        number = error.get("err_code", 0)
        code = "NO_STORE" if number in NO_JETSTREAM else f"STORE_{number}"
        raise StoreError(code, number, error.get("description", ""))


class Watch:
    """Follows a bucket until it is closed."""

    def __init__(self, store: KeyValue, changed: Changed, logger: Log, ttl_ms: Optional[float]) -> None:
        self._store, self._changed, self._logger = store, changed, logger
        self._ttl_s = ttl_ms / 1000 if ttl_ms else None
        #: Key -> when it expires; the oldest write is first. Shows entries whose end the store doesn't report.
        self._keys: Dict[str, float] = {}
        #: Set once every existing entry has been reported.
        self.ready = asyncio.Event()
        self._task = asyncio.ensure_future(self._follow())

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _follow(self) -> None:
        while True:
            try:
                await self._round()
            except StoreError:
                pass  # The store logs once why it can't be reached.
            except Exception as error:
                self._logger.error("key-value watch failed", bucket=self._store.name, **failure_of(error))
            self._expire()
            await asyncio.sleep(WATCH_AGAIN_S)

    async def _round(self) -> None:
        """Reports all entries, then changes, until a message of the consumer is missing."""
        store, bus = self._store, self._store._bus
        received: asyncio.Queue = asyncio.Queue()
        # Opens the bucket before the subscription: without a connection the client would subscribe later.
        await store.run(lambda: store.api(f"STREAM.INFO.{store.stream}", {}))
        inbox = bus.new_inbox()
        subscription = await bus.subscribe(inbox, cb=received.put, pending_msgs_limit=-1, pending_bytes_limit=-1)
        try:
            config = {
                "deliver_subject": inbox,
                "deliver_policy": "last_per_subject",
                "filter_subject": f"{store.prefix}>",
                "ack_policy": "none",
                "idle_heartbeat": HEARTBEAT_S * NANOSECONDS,
                "inactive_threshold": INACTIVE_S * NANOSECONDS,
                "mem_storage": True,
                "num_replicas": 1,
            }
            order = {"stream_name": store.stream, "config": config}
            made = await store.run(lambda: store.api(f"CONSUMER.CREATE.{store.stream}", order))
            await self._take(received, made.get("num_pending", 0))
        finally:
            if not bus.is_closed:
                await subscription.unsubscribe()

    async def _take(self, received: asyncio.Queue, pending: int) -> None:
        reported: Optional[Set[str]] = set()
        sequence = 0
        heard = time.monotonic()
        reconnects = self._store.reconnects
        # A bus that comes back may have lost the bucket or the consumer.
        while self._store.reconnects == reconnects:
            if reported is not None and pending == 0:
                self._complete(reported)
                reported = None
            self._expire()
            message = await self._next(received, heard + SILENCE_S)
            if message is None:
                if time.monotonic() >= heard + SILENCE_S:
                    return
                continue
            heard = time.monotonic()
            headers = message.headers or {}
            if not message.reply.startswith("$JS.ACK."):
                # A heartbeat names the last message of the consumer, which may not have arrived.
                if headers.get("Nats-Last-Consumer", str(sequence)) != str(sequence):
                    return
                continue
            place = message.metadata
            if place.sequence.consumer != sequence + 1:
                return
            sequence, pending = sequence + 1, place.num_pending
            key = decode_key(message.subject[len(self._store.prefix) :])
            if key is None:
                continue
            if reported is not None:
                reported.add(key)
            if OPERATION_HEADER in headers:
                self._remove(key)
            else:
                self._set(key, Entry(message.data, place.sequence.stream), place.timestamp.timestamp())

    async def _next(self, received: asyncio.Queue, until: float) -> Any:
        wait = min(HEARTBEAT_S, until - time.monotonic())
        if self._keys and self._ttl_s is not None:
            wait = min(wait, next(iter(self._keys.values())) - time.time())
        try:
            return await asyncio.wait_for(received.get(), max(0.001, wait))
        except asyncio.TimeoutError:
            return None

    def _complete(self, reported: Set[str]) -> None:
        for key in [key for key in self._keys if key not in reported]:
            self._remove(key)
        self.ready.set()

    def _set(self, key: str, entry: Entry, written: float) -> None:
        self._keys.pop(key, None)
        self._keys[key] = float("inf") if self._ttl_s is None else written + self._ttl_s
        self._tell(key, entry)

    def _remove(self, key: str) -> None:
        if self._keys.pop(key, None) is not None:
            self._tell(key, None)

    def _expire(self) -> None:
        now = time.time()
        # Called for each message: a look at all keys would make the report of a large bucket quadratic.
        for key, _ in list(itertools.takewhile(lambda entry: entry[1] <= now, self._keys.items())):
            self._remove(key)

    def _tell(self, key: str, entry: Optional[Entry]) -> None:
        try:
            self._changed(key, entry)
        except Exception as error:
            self._logger.error("change of a key could not be processed", bucket=self._store.name, **failure_of(error))


def _refused(error: StoreError) -> WriteOutcome:
    if error.number == WRONG_LAST_SEQUENCE:
        return WriteOutcome("conflict")
    if error.number == MESSAGE_TOO_LARGE:
        return TOO_LARGE
    # JetStream uses one number for every failed write; only the text tells a full store.
    is_full = error.number in FULL or (error.number == STORE_FAILED and error.description.startswith("maximum "))
    return WriteOutcome("failed", error="full") if is_full else UNAVAILABLE


def encode_key(key: str) -> Optional[str]:
    """A key as one token of a subject, as the SDK for JavaScript writes it; None where the key is too long."""
    # Two halves of a surrogate pair are one letter, as in JavaScript.
    units = key.encode("utf-16-le", "surrogatepass")
    whole = units.decode("utf-16-le", "surrogatepass")
    if len(whole.encode("utf-8", "surrogatepass")) > MOST_KEY_BYTES:
        return None
    try:
        if whole:
            return _base64(whole.encode("utf-8"))
    except UnicodeEncodeError:
        pass
    return UTF16_MARK + _base64(units)


def decode_key(token: str) -> Optional[str]:
    """The key of a token; None where another program wrote it in another encoding."""
    is_utf16 = token.startswith(UTF16_MARK)
    text = token[len(UTF16_MARK) :] if is_utf16 else token
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        key = data.decode("utf-16-le", "surrogatepass") if is_utf16 else data.decode("utf-8")
    except (ValueError, binascii.Error):
        return None
    return key if encode_key(key) == token else None


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
