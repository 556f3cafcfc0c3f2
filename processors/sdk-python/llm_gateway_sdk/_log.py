"""JSON lines on stdout: messages are constants, data is in fields."""
import json
import sys
import threading
import traceback
from datetime import datetime, timezone
from typing import Any

LEVELS = {"DEBUG": 10, "INFO": 20, "WARN": 30, "ERROR": 40}


class Log:
    """Writes a line at once, so that an exit loses none; may be used from any thread."""

    def __init__(self, service: str, level: str = "INFO") -> None:
        self._service = service
        self._lock = threading.Lock()
        self.level = level

    def debug(self, message: str, **fields: Any) -> None:
        self._write("DEBUG", message, fields)

    def info(self, message: str, **fields: Any) -> None:
        self._write("INFO", message, fields)

    def warn(self, message: str, **fields: Any) -> None:
        self._write("WARN", message, fields)

    def error(self, message: str, **fields: Any) -> None:
        self._write("ERROR", message, fields)

    def _write(self, level: str, message: str, fields: dict) -> None:
        if LEVELS[level] < LEVELS[self.level]:
            return
        time = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        line = {"level": level, "time": time, "service": self._service, **fields, "msg": message}
        with self._lock:
            sys.stdout.write(json.dumps(line, default=str) + "\n")
            sys.stdout.flush()


def failure_of(error: BaseException) -> dict:
    """An error's name and the line that it came from; never its message, which may hold what a caller sent."""
    return {"name": type(error).__name__, **place_of(traceback.extract_tb(error.__traceback__))}


def place_of(frames: traceback.StackSummary) -> dict:
    """The innermost line that belongs to no package."""
    own = [frame for frame in frames if "/site-packages/" not in frame.filename] or frames
    return {"at": f"{own[-1].filename.rsplit('/', 1)[-1]}:{own[-1].lineno}"} if own else {}
