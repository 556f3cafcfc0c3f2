"""A processor in Python: adds `word_count`, the words of a question, to the record."""
import asyncio
import json
import os
import signal

import nats

SUBJECT = "llm.gl.wordcount"
HOST = os.environ.get("GATEWAY_HOST") or "localhost:4222"


def answer(fields):
    """The fields to add: whatever the row in gl_config.json lets this processor write."""
    messages = fields["ingress_payload"]["messages"]
    return {"word_count": sum(len(message["content"].split()) for message in messages)}


async def reply(message):
    try:
        fields = answer(json.loads(message.data))
    except (KeyError, TypeError, ValueError, AttributeError):
        fields = {}  # not a chat request: nothing to add
    await message.respond(json.dumps(fields).encode())


async def main():
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    bus = await nats.connect(f"nats://{HOST}", token=os.environ.get("NATS_TOKEN"), max_reconnect_attempts=-1)
    # A queue group: each message goes to one of however many of us run.
    await bus.subscribe(SUBJECT, queue=SUBJECT, cb=reply)
    print("processor initialized", flush=True)
    await stop.wait()
    await bus.drain()  # answers what has arrived, then leaves


asyncio.run(main())
