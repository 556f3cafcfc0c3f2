"""Answers as JSON text."""
import json
from itertools import islice
from typing import Any

ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
#: An answer with more values or characters takes milliseconds to encode.
MOST_VALUES = 1_000
MOST_CHARACTERS = 64 * 1024
#: The pieces of text that are joined at a time; each is an object of its own.
PIECES = 4_096


def is_small(answer: Any) -> bool:
    """Whether the event loop may encode an answer; looks at no more values than a small answer has."""
    left, values, characters = [answer], 0, 0
    while left:
        value = left.pop()
        values += 1
        if isinstance(value, str):
            characters += len(value)
        elif isinstance(value, (dict, list, tuple)):
            if values + len(left) + len(value) > MOST_VALUES:
                return False
            if isinstance(value, dict):
                characters += sum(len(name) for name in value if isinstance(name, str))
                left.extend(value.values())
            else:
                left.extend(value)
        if values > MOST_VALUES or characters > MOST_CHARACTERS:
            return False
    return True


def encode(answer: Any) -> bytes:
    return ENCODER.encode(answer).encode()


def encode_in_turns(answer: Any) -> bytes:
    """The same text, made of pieces: other threads get their turn between two of them. Takes several times as long."""
    pieces, text = ENCODER.iterencode(answer), bytearray()
    while True:
        some = list(islice(pieces, PIECES))
        if not some:
            return bytes(text)
        text += "".join(some).encode()
