"""Opens a processor's port and 150 connections that send nothing, and prints the status line that a probe gets then."""
import asyncio
import sys

from llm_gateway_sdk._port import open_port

CROWD = 150


async def main():
    port = int(sys.argv[1])
    # Connections that are open at the end are cancelled, which asyncio reports.
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    server = await open_port("127.0.0.1", port, {b"/healthz": lambda: ("200 OK", "ok\n")}, None)
    crowd = [await asyncio.open_connection("127.0.0.1", port) for _ in range(CROWD)]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    print((await reader.readline()).decode().strip())
    cut = [crowded for crowded, _ in crowd if crowded.at_eof() or crowded.exception() is not None]
    print(len(cut))
    for _, idle in crowd:
        idle.close()
    server.close()


asyncio.run(main())
