"""Prints how often a watch looks at its keys while a bucket is reported, and the keys that it then knows, as JSON."""
import asyncio
import json
import time
from types import SimpleNamespace

from llm_gateway_sdk import _key_value

KEYS = 1_000
#: The oldest keys have expired before they are reported.
EXPIRED = 10
TTL_MS = 60_000


class Keys(dict):
    """Counts the keys that are looked at."""

    looks = 0

    def items(self):
        for entry in super().items():
            self.looks += 1
            yield entry


class Bus:
    """A bus that reports one bucket."""

    stats = {"reconnects": 0}
    is_connected, is_closed = True, False

    def new_inbox(self):
        return "inbox"

    async def request(self, subject, data, timeout, headers):
        return SimpleNamespace(data=json.dumps({"num_pending": KEYS}).encode())

    async def subscribe(self, inbox, cb, **limits):
        for number in range(KEYS):
            await cb(message(number))
        return SimpleNamespace(unsubscribe=done)


async def done():
    pass


def message(number):
    written = time.time() - (TTL_MS / 1000 + 1 if number < EXPIRED else 0)
    place = SimpleNamespace(
        sequence=SimpleNamespace(consumer=number + 1, stream=number + 1),
        num_pending=KEYS - number - 1,
        timestamp=SimpleNamespace(timestamp=lambda: written),
    )
    subject = f"$KV.many.{_key_value.encode_key(f'key {number}')}"
    return SimpleNamespace(headers=None, reply="$JS.ACK.", metadata=place, subject=subject, data=b"")


async def main():
    known = set()

    def changed(key, entry):
        if entry is None:
            known.discard(key)
        else:
            known.add(key)

    store = _key_value.KeyValue(Bus(), None, {"bucket": "many", "ttl_ms": TTL_MS})
    watch = store.watch(changed)
    watch._keys = Keys()
    await watch.ready.wait()
    await watch.close()
    print(json.dumps({"looks": watch._keys.looks, "known": len(known)}))


asyncio.run(main())
