"""Prints the texts whose values the SDK counts wrongly, and the bytes that counting takes, as JSON."""
import json
import tracemalloc

from llm_gateway_sdk import _messages

TEXTS = [
    r'{}',
    r'{"a":[1,2,{"b":"x,y"}],"c":"[{,"}',
    r'["\"", "\\", "\\\"", "\\\\", "a\\\\\"b,", "\u0022,[", "\n"]',
    r'{"\",":"\\","b\\":[","]}',
    r'["' + "\\\\" * 20 + r'",1,"' + "\\\"," * 20 + r'"]',
]


def values_of(text):
    """Counts commas and opening brackets outside of strings, a character at a time."""
    values, in_string, escaped = 1, False, False
    for character in text:
        if escaped:
            escaped = False
        elif in_string and character == "\\":
            escaped = True
        elif character == '"':
            in_string = not in_string
        elif not in_string and character in ",{[":
            values += 1
    return values


def wrong_texts():
    for text in TEXTS:
        json.loads(text)
        for piece in range(1, len(text) + 2):
            _messages.PIECE = piece
            if _messages.count_values(text.encode()) != values_of(text):
                yield [text, piece]


def peak_bytes(data):
    tracemalloc.start()
    _messages.count_values(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


usual = _messages.PIECE
wrong = list(wrong_texts())
_messages.PIECE = usual
units = [rb"\n", rb"\"", rb"\\", b'","', b'"":']
peaks = {unit.decode(): peak_bytes(b'{"a":"' + unit * (8_000_000 // len(unit)) + b'"}') for unit in units}
print(json.dumps({"wrong": wrong, "peaks": peaks}))
