"""Reads texts from the standard input, a list in JSON, each the headers of a message in base64; prints the headers."""
import base64
import json
import sys

from llm_gateway_sdk._headers import read_headers

json.dump([read_headers(base64.b64decode(head)) for head in json.load(sys.stdin)], sys.stdout)
