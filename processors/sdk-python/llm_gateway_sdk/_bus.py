"""The connection to the bus. Other clients of the bus write what it reads, and may write any bytes."""
import ssl
from typing import Any, Dict, Mapping, Optional

import nats
import nats.errors
from nats.aio.msg import Msg
from nats.protocol.parser import AWAITING_MSG_PAYLOAD, CRLF_SIZE, Parser

from ._environment import tls_context
from ._headers import read_headers

#: nats-server takes these bytes as part of a subject; the patterns of nats-py take them as the end of one.
TABS = bytes.maketrans(b"\v\f", b"??")


class Message(Msg):
    """A message whose reply carries no headers; nats-py would send back those of the message."""

    async def respond(self, data: bytes) -> None:
        if not self.reply:
            raise nats.errors.Error("no reply subject available")
        await self._client.publish(self.reply, data)


class LineParser(Parser):
    """Hands nats-py's parser one line or payload after the other, the lines without vertical tabs and form feeds.

    nats-py's parser finds no message in a line whose reply subject has one, and gives up the connection.
    """

    async def parse(self, data: bytes = b"") -> None:
        start = 0
        while start < len(data):
            if self.state == AWAITING_MSG_PAYLOAD:
                end = start + self.needed + CRLF_SIZE - len(self.buf)
                piece = data[start:end]
            else:
                end = data.find(b"\n", start) + 1 or len(data)
                piece = data[start:end].translate(TABS)
            await super().parse(piece)
            start = end


class Bus(nats.NATS):
    """A connection that refuses a bus without TLS where TLS is configured.

    nats-py goes by the server's word alone, and would send the token unencrypted to whoever answers at the address.
    It also reads certificates once; here each connection reads them anew, since they are renewed while programs run.
    A connection whose files can't be used fails with OSError and is tried again, like one to a bus that is away.

    An exception at a message would end nats-py's reading of the connection for half a minute, and some errors of the
    server end it for good. So headers are read within bounds, and messages with unusable subjects are dropped.
    """

    msg_class = Message

    def __init__(self, tls_files: Optional[Mapping[str, str]]) -> None:
        super().__init__()
        self._ps = LineParser(self)
        self._tls_files = tls_files
        self._last_context: Optional[ssl.SSLContext] = None

    @property
    def ssl_context(self) -> ssl.SSLContext:
        if self._tls_files is None:
            return super().ssl_context
        try:
            self._last_context = tls_context(self._tls_files)
        except OSError:  # Half renewed: the certificates of the last connection may still do.
            if self._last_context is None:
                raise
        return self._last_context

    def _connect_command(self) -> bytes:
        # Called for each connection, after the handshake and before the credentials leave.
        if self._tls_files is not None and not self._server_info.get("tls_required"):
            raise nats.errors.SecureConnRequiredError
        return super()._connect_command()

    async def _process_headers(self, headers: Optional[bytes]) -> Optional[Dict[str, str]]:
        return read_headers(headers) or None if headers else None

    def _build_message(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: Any) -> Optional[Msg]:
        try:
            return super()._build_message(sid, subject, reply, data, headers)
        except UnicodeDecodeError:
            # nats-py drops the message. With other characters in place of the wrong bytes, the reply would reach
            # nobody, and its subject may become so long that the server ends the connection.
            return None
