"""A processor as its program states it; `run_processor` makes a program of it."""
import asyncio
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Mapping, Optional, Union

from ._key_value import KeyValue
from ._log import Log
from ._metrics import Metrics

Fields = Mapping[str, Any]
Answer = Optional[Mapping[str, Any]]


class SettingsError(Exception):
    """Settings that a processor can't work with: setting -> reason."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__("SETTINGS")
        self.reasons = dict(reasons)


@dataclass(frozen=True)
class Call:
    """The facts about a call that `answer` gets beside the fields."""

    #: Milliseconds that the gateway still waits.
    timeout_ms: float


@dataclass(frozen=True)
class Limits:
    """The most messages that a processor works on and keeps waiting, and the time of an answer."""

    #: Messages of at most 16 KiB that are worked on at a time; None: 64, and 64 more that are the only ones of their
    #: routers. Of messages of up to 512 KiB a quarter as many are worked on, of larger messages a sixteenth.
    concurrency: Optional[int] = None
    #: Messages of each of the three sizes that may wait. Beyond it the router with the largest share loses its newest
    #: message.
    waiting: int = 1024
    answer_timeout_ms: float = 600_000
    #: True: messages are answered even after their deadline.
    takes_late: bool = False
    #: Messages of a router, in each of the three sizes, for which a plain function computes at a time. A message for
    #: which the function waits, such as for an HTTP service, doesn't count.
    computing: int = 4


@dataclass(frozen=True)
class Context:
    """The parts of a program that `create` gets in addition to the settings."""

    logger: Log
    metrics: Metrics
    environment: Mapping[str, str]
    #: Set when the program is asked to end.
    ending: asyncio.Event
    #: `key_value(bucket, max_bytes=…, storage="file" or "memory", ttl_ms=None)` opens a bucket, even before the bus is
    #: connected. Until then its watches wait and its operations fail as `unavailable`.
    key_value: Callable[..., KeyValue]


@dataclass(frozen=True)
class RunningProcessor:
    """The functions of a processor, which `create` returns."""

    #: Fields and call -> fields to add; None where there is nothing to do. A plain function runs in a thread.
    answer: Callable[[Fields, Call], Union[Answer, Awaitable[Answer]]]
    #: False makes the program unready.
    ready: Optional[Callable[[], bool]] = None
    close: Optional[Callable[[], Optional[Awaitable[None]]]] = None


Created = Union[RunningProcessor, Awaitable[RunningProcessor]]


@dataclass(frozen=True)
class ProcessorDefinition:
    """A processor: its name, its settings, and how it is created."""

    #: Lower case, one word: the last part of its subject and its `service` in logs.
    name: str
    version: str
    #: Checked settings and context -> the processor. Raises SettingsError where it can't work with the settings.
    create: Callable[[Mapping[str, Any], Context], Created]
    #: Key of the settings file -> `number_setting`, `boolean_setting` or `text_setting`.
    settings: Mapping[str, "Setting"] = field(default_factory=dict)
    #: Variable of the environment -> setting. A variable that is set and not empty takes precedence over the file.
    variables: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)


#: A setting's check: a value of JSON, a variable's text or MISSING -> the value. Raises ValueError with a reason.
Setting = Callable[[Any], Any]
