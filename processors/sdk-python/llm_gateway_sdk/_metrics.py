"""Counters, gauges and one histogram as Prometheus text."""
import threading
from typing import Callable, Dict, List, Mapping, Tuple

Labels = Tuple[Tuple[str, str], ...]
OUTCOMES = ("answered", "nothing", "failed", "dropped", "expired", "not an object", "not taken")
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60)
MOST_SERIES = 1000


class Metrics:
    """The metrics that every processor has, and counters of its own; may be used from any thread."""

    def __init__(self, processor: str, version: str) -> None:
        self._lock = threading.Lock()
        self._base = (("processor", processor),)
        self._help: Dict[str, Tuple[str, str]] = {}
        self._counts: Dict[str, Dict[Labels, float]] = {}
        self._gauges: Dict[str, Callable[[], float]] = {}
        self._buckets: List[int] = [0] * len(BUCKETS)
        self._sum, self._count = 0.0, 0
        self._info = self._base + (("version", version),)
        self.declare("llm_processor_messages_total", "Messages by their outcome.")
        for outcome in OUTCOMES:
            self.add("llm_processor_messages_total", {"outcome": outcome}, 0)
        self.declare("llm_processor_background_failures_total", "Tasks that failed and that nothing waited for.")
        self.add("llm_processor_background_failures_total", {}, 0)

    def declare(self, name: str, text: str) -> None:
        """Makes a counter known, with its help; `name` ends in `_total`."""
        self._help[name] = ("counter", text)
        self._counts.setdefault(name, {})

    def add(self, name: str, labels: Mapping[str, str], amount: float = 1) -> None:
        """Adds to a declared counter. It keeps at most 1,000 sets of labels; other sets count as `other`."""
        with self._lock:
            series = self._counts[name]
            key = self._base + tuple(sorted(labels.items()))
            if key not in series and len(series) >= MOST_SERIES:
                key = self._base + tuple((label, "other") for label in sorted(labels))
            series[key] = series.get(key, 0) + amount

    def gauge(self, name: str, text: str, value: Callable[[], float]) -> None:
        """A gauge whose value is asked for at each scrape."""
        self._help[name] = ("gauge", text)
        self._gauges[name] = value

    def counted(self, outcome: str, seconds: float) -> None:
        """A message and the time that it took."""
        self.add("llm_processor_messages_total", {"outcome": outcome})
        if outcome in ("dropped", "expired"):
            return
        with self._lock:
            self._sum += seconds
            self._count += 1
            for index, bound in enumerate(BUCKETS):
                if seconds <= bound:
                    self._buckets[index] += 1

    def text(self) -> str:
        """What a scrape gets."""
        with self._lock:
            lines = ["# TYPE llm_processor_info gauge", f"llm_processor_info{_shown(self._info)} 1"]
            for name, series in self._counts.items():
                lines += self._head(name)
                lines += [f"{name}{_shown(labels)} {_number(value)}" for labels, value in series.items()]
            name = "llm_processor_seconds"
            lines.append(f"# TYPE {name} histogram")
            for bound, count in zip(BUCKETS, self._buckets):
                lines.append(f"{name}_bucket{_shown(self._base + (('le', f'{bound:g}'),))} {count}")
            lines.append(f"{name}_bucket{_shown(self._base + (('le', '+Inf'),))} {self._count}")
            lines += [f"{name}_sum{_shown(self._base)} {self._sum!r}", f"{name}_count{_shown(self._base)} {self._count}"]
        for name, value in self._gauges.items():
            lines += self._head(name) + [f"{name}{_shown(self._base)} {_number(value())}"]
        return "\n".join(lines) + "\n"

    def _head(self, name: str) -> List[str]:
        kind, text = self._help[name]
        return [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]


def _number(value: float) -> str:
    """All digits: with six of them a counter would stand still for ten messages, later for thousands."""
    return repr(float(value)).removesuffix(".0")


def _shown(labels: Labels) -> str:
    escaped = (
        (name, value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")) for name, value in labels
    )
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped) + "}"
