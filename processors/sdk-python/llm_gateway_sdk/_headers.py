"""The headers of a message, which any client of the bus may have written."""
import re
from typing import Dict

#: A header that begins behind so many bytes or lines counts as absent. The gateway's headers take 200 bytes.
MOST_BYTES = 8 * 1024
MOST_LINES = 64
LINE_END = "\r\n"
STATUS = re.compile(r"NATS/1\.0 +([0-9]{3})(.*)", re.DOTALL)
#: The characters that a name may have.
NAME = re.compile(r"[!-9;-~]+")


def read_headers(head: bytes) -> Dict[str, str]:
    """The first value of each name, and `Status` and `Description` of the first line. Never raises.

    nats-py gives all bytes to a parser of e-mails, which takes seconds for a megabyte of names, and it raises at headers
    of eight bytes and at a status that isn't UTF-8.
    """
    text = head[:MOST_BYTES].decode(errors="replace")
    # The bound may have cut the last line.
    first, *lines = text[: max(0, text.rfind(LINE_END))].split(LINE_END)[:MOST_LINES]
    headers: Dict[str, str] = {}
    status = STATUS.fullmatch(first)
    if status is not None:
        headers["Status"] = status.group(1)
        description = status.group(2).strip()
        if description:
            headers["Description"] = description
    for line in lines:
        name, colon, value = line.partition(":")
        value = value.strip()
        if colon and NAME.fullmatch(name) and "\r" not in value and "\n" not in value:
            headers.setdefault(name, value)
    return headers
