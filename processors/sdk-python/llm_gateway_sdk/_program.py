"""A processor from its start to its end."""
import asyncio
import inspect
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, List, Mapping, NamedTuple, Optional

from ._bus import Bus
from ._definition import Context, ProcessorDefinition, RunningProcessor, SettingsError
from ._environment import Plan, make_plan
from ._gate import first_places_of, places_of
from ._key_value import KeyValue
from ._log import Log, failure_of
from ._messages import Messages
from ._metrics import Metrics
from ._port import open_port
from ._settings import Settings, read_settings
from ._watchdog import STOP_SIGNALS, Watchdog

USAGE = """usage: [-o FILE] [--validate] | --version
  -o FILE     the settings file; default: the file that PROCESSOR_CONFIG names, or the default settings
  --validate  check the settings and exit: 0 if the processor would start with them, else 1
  --version   print the version and exit"""
CONNECT_TIMEOUT_S = 5
PING_INTERVAL_S = 10
RECONNECT_S = 0.5
#: With CLOSE_S for the bus, CLOSE_S for the processor and LEFT_S less than the 30 s that Kubernetes gives.
DRAIN_S = 20
CLOSE_S = 3
#: The longest wait at the end for threads and tasks of the processor, which nothing can stop.
LEFT_S = 2
#: The longest time from the first signal to the end.
END_S = DRAIN_S + 2 * CLOSE_S + LEFT_S
PENDING_MESSAGES = 100_000
PENDING_BYTES = 64 * 1024 * 1024


class Program(NamedTuple):
    definition: ProcessorDefinition
    environment: Mapping[str, str]
    settings: Settings
    plan: Plan
    logger: Log
    metrics: Metrics
    #: The threads that run plain functions: one for each place of the gates, so that no message waits for a thread.
    threads: ThreadPoolExecutor


def run_processor(
    definition: ProcessorDefinition,
    argv: Optional[List[str]] = None,
    environment: Optional[Mapping[str, str]] = None,
) -> int:
    """Makes a program of a processor: `[-o FILE] [--validate] | --version`.

    Returns the exit code: 0 after SIGTERM, SIGINT and a successful `--validate`, else 1.
    """
    arguments = sys.argv[1:] if argv is None else argv
    variables = os.environ if environment is None else environment
    if arguments == ["--version"]:
        print(definition.version)
        return 0
    validate_only = "--validate" in arguments
    rest = [argument for argument in arguments if argument != "--validate"]
    if rest and not (len(rest) == 2 and rest[0] == "-o"):
        print(USAGE, file=sys.stderr)
        return 1
    path = rest[1] if rest else variables.get("PROCESSOR_CONFIG") or None
    logger = Log(definition.name)
    try:
        settings = read_settings(definition, path, variables)
        logger.level = settings.log_level
        if settings.unknown_keys:
            logger.warn("configuration has unknown keys", unknown_keys=settings.unknown_keys)
        plan = make_plan(definition.name, variables, settings.service_bus)
    except SettingsError as error:
        logger.error("configuration file validation failed", validation_errors=error.reasons)
        return 1
    metrics = Metrics(definition.name, definition.version)
    places = sum(places_of(definition.limits)) + first_places_of(definition.limits)
    threads = ThreadPoolExecutor(max(1, places), "answer")
    program = Program(definition, variables, settings, plan, logger, metrics, threads)
    with Watchdog(logger) as watchdog:
        try:
            code = asyncio.run(_run(program, validate_only, watchdog))
            threads.shutdown()
        except KeyboardInterrupt:  # A second signal, after the event loop.
            os._exit(1)
    return code


async def _run(program: Program, validate_only: bool, watchdog: Watchdog) -> int:
    ending = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in STOP_SIGNALS:
        loop.add_signal_handler(name, _end, ending)
    loop.set_exception_handler(lambda _, found: _background(program, found.get("exception")))
    code = 1
    try:
        with watchdog.signals(END_S):
            code = await _live(program, validate_only, ending)
    finally:
        watchdog.end_within(LEFT_S, code)
    return code


async def _live(program: Program, validate_only: bool, ending: asyncio.Event) -> int:
    bus = Bus(program.plan.tls_files)
    creating = asyncio.ensure_future(_create(program, bus, ending))
    if not await _unless(ending, creating):
        return 1 if validate_only else 0
    running = creating.result()
    if running is None:
        return 1
    try:
        if not validate_only:
            await _serve(program, running, bus, ending)
    finally:
        await _close(program, running)
    return 0


def _end(ending: asyncio.Event) -> None:
    """A second signal ends the program at once."""
    if ending.is_set():
        os._exit(1)
    ending.set()


def _background(program: Program, error: Optional[BaseException]) -> None:
    program.metrics.add("llm_processor_background_failures_total", {})
    program.logger.error("background work of the processor failed", **({} if error is None else failure_of(error)))


async def _create(program: Program, bus: Bus, ending: asyncio.Event) -> Optional[RunningProcessor]:
    definition = program.definition

    def key_value(
        bucket: str, *, max_bytes: int, storage: str = "file", ttl_ms: Optional[float] = None
    ) -> KeyValue:
        options = {"bucket": bucket, "max_bytes": max_bytes, "storage": storage, "ttl_ms": ttl_ms}
        return KeyValue(bus, program.logger, options)

    context = Context(program.logger, program.metrics, program.environment, ending, key_value)
    try:
        created = definition.create(program.settings.own, context)
        return await created if inspect.isawaitable(created) else created
    except SettingsError as error:
        reasons = {f"{definition.name}_config.{setting}": reason for setting, reason in error.reasons.items()}
        program.logger.error("configuration file validation failed", validation_errors=reasons)
    except Exception as error:
        program.logger.error("processor not created", **failure_of(error))
    return None


async def _serve(program: Program, running: RunningProcessor, bus: Bus, ending: asyncio.Event) -> None:
    definition, _, _, plan, logger, metrics, threads = program
    messages = Messages(running, definition.limits, logger, metrics, threads)
    subscribed = asyncio.Event()

    def is_ready() -> bool:
        connected = bus.is_connected and subscribed.is_set() and not ending.is_set()
        return connected and (running.ready is None or running.ready())

    _add_gauges(metrics, messages, bus)
    routes = {
        b"/healthz": lambda: ("200 OK", "ok\n"),
        b"/readyz": lambda: ("200 OK", "ready\n") if is_ready() else ("503 Service Unavailable", "not ready\n"),
        b"/metrics": lambda: ("200 OK", metrics.text()),
    }
    port = None if plan.port is None else await open_port(plan.host, plan.port, routes, logger)
    subscription = None
    if await _unless(ending, _connect(bus, plan, definition.name, logger)):
        # A queue group: each message goes to one of the running processes of this program.
        subscription = await bus.subscribe(
            plan.subject,
            queue=plan.subject,
            cb=messages.take,
            pending_msgs_limit=PENDING_MESSAGES,
            pending_bytes_limit=PENDING_BYTES,
        )
        await _flush(bus)
        subscribed.set()
        logger.info("processor initialized", subject=plan.subject)
        await ending.wait()
    await _drain(bus, subscription, messages, logger)
    if port is not None:
        port.close()


def _add_gauges(metrics: Metrics, messages: Messages, bus: Any) -> None:
    total = messages.gates.total
    metrics.gauge("llm_processor_inflight_messages", "Messages in work.", lambda: total("running"))
    metrics.gauge("llm_processor_waiting_messages", "Messages that wait for their turn.", lambda: total("waiting"))
    metrics.gauge("llm_processor_waiting_bytes", "Bytes of messages that wait.", lambda: total("waiting_bytes"))
    text = "1 from the first dropped message until no message waits, else 0."
    metrics.gauge("llm_processor_overloaded", text, lambda: min(1, total("overloaded")))
    text = "1 while the processor is connected to the bus, else 0."
    metrics.gauge("llm_processor_bus_connected", text, lambda: bus.is_connected)


async def _unless(ending: asyncio.Event, work: Any) -> bool:
    """Whether work came to its end before the program was asked to end."""
    tasks = [asyncio.ensure_future(work), asyncio.ensure_future(ending.wait())]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    done = tasks[0].done()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return done


async def _connect(bus: Any, plan: Plan, name: str, logger: Log) -> None:
    told: List[str] = []

    async def failed(error: Exception) -> None:
        # Once a reason: the bus may stay away for hours.
        if told[-1:] != [type(error).__name__]:
            told.append(type(error).__name__)
            logger.warn("bus not reachable", code=told[-1])
            del told[:-1]

    async def lost() -> None:
        # Called at the end of the program too.
        if bus.is_reconnecting:
            logger.warn("bus disconnected")

    async def again() -> None:
        told.clear()
        logger.info("bus reconnected")

    while True:
        try:
            await bus.connect(
                **plan.bus,
                name=name,
                error_cb=failed,
                disconnected_cb=lost,
                reconnected_cb=again,
                max_reconnect_attempts=-1,
                reconnect_time_wait=RECONNECT_S,
                connect_timeout=CONNECT_TIMEOUT_S,
                ping_interval=PING_INTERVAL_S,
            )
            return
        except Exception as error:  # A refusal may end: tokens are swapped while programs run.
            await failed(error)
            await asyncio.sleep(RECONNECT_S)


async def _flush(bus: Any) -> None:
    try:
        await bus.flush()
    except Exception:  # The connection was lost: the client subscribes again with the next one.
        return


async def _drain(bus: Any, subscription: Any, messages: Messages, logger: Log) -> None:
    async def drained() -> None:
        if subscription is not None and bus.is_connected:
            await subscription.drain()
        await messages.idle()

    try:
        await asyncio.wait_for(drained(), DRAIN_S)
    except Exception:
        logger.warn("processor ends with messages in work", messages=messages.open)
    messages.close()
    try:
        await asyncio.wait_for(_leave(bus), CLOSE_S)
    except Exception as error:
        logger.warn("bus connection not closed", **failure_of(error))


async def _leave(bus: Any) -> None:
    if bus.is_connected:
        await bus.flush()
    if not bus.is_closed:
        await bus.close()


async def _close(program: Program, running: RunningProcessor) -> None:
    if running.close is None:
        return
    try:
        closing = running.close()
        if inspect.isawaitable(closing):
            await asyncio.wait_for(closing, CLOSE_S)
    except Exception as error:
        program.logger.warn("processor not closed", **failure_of(error))
