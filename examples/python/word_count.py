"""A processor in Python: adds `word_count`, the words of a question, to the record."""
import asyncio
import json
import os
import signal
import time

import nats

SUBJECT = os.environ.get("PROCESSOR_SUBJECT") or "llm.gl.wordcount"
HOST = os.environ.get("GATEWAY_HOST") or "localhost:4222"
PORT = int(os.environ.get("PROCESSOR_PORT") or 0)


def answer(fields):
    """Returns the fields to add, which the row in gl_config.json must name."""
    messages = fields["ingress_payload"]["messages"]
    return {"word_count": sum(len(message["content"].split()) for message in messages)}


async def reply(message):
    deadline = (message.headers or {}).get("Gateway-Deadline", "")
    if deadline.isdecimal() and len(deadline) < 20 and int(deadline) < time.time() * 1000:
        return  # nobody waits for the answer any more
    try:
        fields = answer(json.loads(message.data))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        fields = {}  # not a chat request: nothing to add
    await message.respond(json.dumps(fields).encode())


async def serve_port(is_ready):
    """Kubernetes asks /readyz whether the pod is ready."""

    async def respond(reader, writer):
        try:
            path = (await asyncio.wait_for(reader.readline(), 5)).split(b" ")[1:2]
            known = path == [b"/readyz"]
            status = b"200 OK" if known and is_ready() else b"503 Service Unavailable" if known else b"404 Not Found"
            writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            await writer.drain()
        except (asyncio.TimeoutError, ValueError, ConnectionError):
            pass  # a request that is too slow or too large gets no answer
        finally:
            writer.close()

    if PORT:
        await asyncio.start_server(respond, port=PORT)


async def main():
    stop, subscribed = asyncio.Event(), asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    bus = nats.NATS()
    await serve_port(lambda: bus.is_connected and subscribed.is_set() and not stop.is_set())
    await bus.connect(f"nats://{HOST}", token=os.environ.get("NATS_TOKEN"), max_reconnect_attempts=-1)
    # A queue group: each message goes to one of the running processes of this program.
    await bus.subscribe(SUBJECT, queue=SUBJECT, cb=reply)
    await bus.flush()  # the bus has the subscription
    subscribed.set()
    print("processor initialized", flush=True)
    await stop.wait()
    await bus.drain()  # answers the messages that have arrived, then disconnects


asyncio.run(main())
