"""The end of a program whose event loop, threads or tasks go on."""
import os
import signal
import socket
import sys
import threading
import time
import traceback
from contextlib import contextmanager
from typing import Any, Iterator, Optional

from ._log import Log, place_of

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
#: The longest wait for the line that says that the program ends: the reader of the output may be away.
SAY_S = 1
NUMBERS = 64
#: Written in place of a signal's number, so that the thread looks at its time again.
NO_SIGNAL = b"\0"
NO_LOOP = -1


class Watchdog:
    """Ends the process after a time, from a thread of its own: Python and asyncio wait without a limit for threads, for
    tasks that ignore their end, and for a blocked event loop.
    """

    def __init__(self, logger: Log) -> None:
        self._logger = logger
        self._numbers, self._written = socket.socketpair()
        self._written.setblocking(False)  # Python demands it.
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._lock = threading.Lock()
        self._loop = NO_LOOP
        self._stop_s = 0.0
        self._end: Optional[float] = None
        self._code = 0

    def __enter__(self) -> "Watchdog":
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._written.close()
        self._thread.join()
        self._numbers.close()

    @contextmanager
    def signals(self, most_s: float) -> Iterator[None]:
        """Ends the process `most_s` after the first SIGTERM or SIGINT with 0, and at the second at once with 1.

        Python writes the number of each signal to one descriptor, from which asyncio reads within the event loop. Here
        the watchdog reads first, and passes all numbers on.
        """
        self._stop_s = most_s
        self._loop = signal.set_wakeup_fd(self._written.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(self._loop, warn_on_full_buffer=False)
            with self._lock:  # Another file may get the loop's descriptor later.
                self._loop = NO_LOOP

    def end_within(self, most_s: float, code: int) -> None:
        """Ends the process with that code, unless the `with` of this watchdog ends first."""
        end = time.monotonic() + most_s
        self._code, self._end = code, end if self._end is None else min(end, self._end)
        self._written.send(NO_SIGNAL)

    def _watch(self) -> None:
        stopping = False
        while True:
            end = self._end
            self._numbers.settimeout(None if end is None else max(0.001, end - time.monotonic()))
            try:
                numbers = self._numbers.recv(NUMBERS)
            except socket.timeout:
                self._leave()
                return
            if numbers == b"":
                return
            stops = sum(number in STOP_SIGNALS for number in numbers)
            if stops > 1 or (stops == 1 and stopping):
                os._exit(1)
            if stops == 1:
                stopping = True
                self._end = time.monotonic() + self._stop_s
            self._pass_on(numbers)

    def _pass_on(self, numbers: bytes) -> None:
        with self._lock:
            if self._loop == NO_LOOP:
                return
            try:
                os.write(self._loop, numbers)
            except BlockingIOError:  # A blocked event loop has not read the earlier numbers.
                pass

    def _leave(self) -> None:
        try:
            told = threading.Thread(target=self._tell, daemon=True)
            told.start()
            told.join(SAY_S)
        finally:
            os._exit(self._code)

    def _tell(self) -> None:
        main = threading.main_thread()
        left = [thread for thread in threading.enumerate() if not thread.daemon and thread != main]
        frames = traceback.extract_stack(sys._current_frames()[main.ident or 0])
        self._logger.warn("processor ends with unfinished work", threads=len(left), **place_of(frames))
