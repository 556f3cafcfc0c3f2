"""`/healthz`, `/readyz` and `/metrics` for Kubernetes and Prometheus."""
import asyncio
from typing import Callable, Dict, Mapping, Optional, Tuple

from ._log import Log

READ_S = 5
MOST_LINES = 100
#: Beyond it the oldest connection is cut: a new one may be the kubelet's, which ends a program that doesn't answer.
MOST_CONNECTIONS = 100

Reply = Tuple[str, str]


async def open_port(
    host: Optional[str], port: int, routes: Mapping[bytes, Callable[[], Reply]], logger: Log
) -> Optional[asyncio.AbstractServer]:
    """Serves the routes: path -> status line and text. None, with a WARN, where the port can't be had."""

    connections: Dict[asyncio.StreamWriter, None] = {}

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections[writer] = None
        if len(connections) > MOST_CONNECTIONS:
            oldest = next(iter(connections))
            del connections[oldest]
            oldest.transport.abort()
        try:
            method, path = await asyncio.wait_for(_request(reader), READ_S)
            status, text = _reply(routes, method, path)
            head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
            body = text.encode()
            writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
            await asyncio.wait_for(writer.drain(), READ_S)
        except (asyncio.TimeoutError, asyncio.IncompleteReadError, ValueError, OSError):
            pass  # Whoever asks so slowly, or so much, gets no answer.
        finally:
            await _close(writer)
            connections.pop(writer, None)

    try:
        return await asyncio.start_server(respond, host, port, limit=8 * 1024)
    except OSError as error:
        logger.warn("processor port not available", port=port, code=error.errno)
        return None


async def _close(writer: asyncio.StreamWriter) -> None:
    """Ends a connection, even if its reader never takes the rest of its answer."""
    writer.close()
    try:
        await asyncio.wait_for(writer.wait_closed(), READ_S)
    except (asyncio.TimeoutError, OSError):
        writer.transport.abort()


async def _request(reader: asyncio.StreamReader) -> Tuple[bytes, bytes]:
    method, target, *_ = (await reader.readline()).split(b" ") + [b"", b""]
    # Reads the whole head: a connection that is closed with unread bytes may lose the answer.
    for _ in range(MOST_LINES):
        if (await reader.readline()).strip() == b"":
            break
    return method, target.split(b"?", 1)[0]


def _reply(routes: Mapping[bytes, Callable[[], Reply]], method: bytes, path: bytes) -> Reply:
    route = routes.get(path)
    if route is None:
        return "404 Not Found", "not found\n"
    return route() if method == b"GET" else ("405 Method Not Allowed", "method not allowed\n")
