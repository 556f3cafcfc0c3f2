"""The settings file: gzip, references to the environment and to files of SECRETS_DIR, checks."""
import gzip
import io
import itertools
import json
import os
import re
import zlib
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional

from ._definition import ProcessorDefinition, SettingsError
from ._log import LEVELS
from ._service_bus import BUS_KEYS, check_service_bus
from ._value_settings import MISSING

MOST_BYTES = 64 * 1024 * 1024
LARGEST_SECRET = 1024 * 1024
LONGEST_TEXT = 1024 * 1024
REFERENCE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
WHOLE_NAME = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
DELIVERED_NAME = re.compile(r"V_[0-9a-f]{16}")
VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?")
KEYS = ("$schema", "version", "log_level", "service_bus")
#: The deepest nesting of a file, and the most unknown keys that one log line names.
DEEPEST = 64
MOST_KEYS = 100


class Settings(NamedTuple):
    """A settings file that was checked; the token of `service_bus` is NATS_TOKEN's where the file has none."""

    own: Mapping[str, Any]
    log_level: str
    service_bus: Mapping[str, Any]
    unknown_keys: List[str]


def read_settings(
    definition: ProcessorDefinition, path: Optional[str], environment: Mapping[str, str]
) -> Settings:
    """Reads and checks a file, None: an empty one; raises SettingsError with path -> reason."""
    root = f"{definition.name}_config"
    look_up = _make_look_up(environment, _read_secrets(environment.get("SECRETS_DIR") or None, root))
    file = _expanded(_read_file(path, root), look_up)
    reasons: Dict[str, str] = {}
    own: Dict[str, Any] = {}
    values = {key: value for key, value in file.items() if key not in KEYS}
    for variable, setting in definition.variables.items():
        if environment.get(variable):
            values[setting] = environment[variable]
    for name, check in definition.settings.items():
        try:
            own[name] = check(values.get(name, MISSING))
        except ValueError as error:
            reasons[f"{root}.{name}"] = str(error)
    level = file.get("log_level", "INFO")
    reasons.update(_check_level(level, f"{root}.log_level"))
    reasons.update(_check_version(file.get("version", "1.0.1"), f"{root}.version"))
    bus = file.get("service_bus", {})
    reasons.update(check_service_bus(bus, f"{root}.service_bus"))
    if reasons:
        raise SettingsError(reasons)
    known = {**dict.fromkeys((*KEYS, *definition.settings)), "service_bus": BUS_KEYS}
    bus = {**bus, "token": bus.get("token") or look_up("NATS_TOKEN")}
    return Settings(own, level, bus, list(itertools.islice(_unknown_keys(file, known, root), MOST_KEYS)))


def _check_level(level: Any, path: str) -> Mapping[str, str]:
    if level == "":
        return {path: "required:"}
    return {} if isinstance(level, str) and level in LEVELS else {path: f"oneof:{' '.join(LEVELS)}"}


def _check_version(version: Any, path: str) -> Mapping[str, str]:
    if not isinstance(version, str):
        return {path: "type:string"}
    return {} if VERSION.fullmatch(version) else {path: "semver:"}


def _unknown_keys(written: Mapping[str, Any], known: Mapping[str, Any], path: str) -> Iterator[str]:
    """Paths of keys that the program doesn't read. `known`: key -> the known keys below it; None: all are."""
    for key, value in written.items():
        if key not in known:
            yield f"{path}.{key}"
        elif known[key] is not None:
            yield from _unknown_keys(value, known[key], f"{path}.{key}")


def _read_file(path: Optional[str], root: str) -> dict:
    if path is None:
        return {}
    try:
        with open(path, "rb") as opened:
            data = opened.read(MOST_BYTES + 1)
    except OSError:
        raise SettingsError({root: "FILE_NOT_READABLE"}) from None
    if len(data) > MOST_BYTES:
        raise SettingsError({root: "FILE_TOO_LARGE"})
    value = _parsed(_unpacked(data, root), root)
    if not isinstance(value, dict):
        raise SettingsError({root: "type:object"})
    return value


def _unpacked(data: bytes, root: str) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        with gzip.open(io.BytesIO(data)) as packed:
            unpacked = packed.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise SettingsError({root: "gzip:"}) from None
    if len(unpacked) > MOST_BYTES:
        raise SettingsError({root: "gzip:"})
    return unpacked


def _parsed(data: bytes, root: str) -> Any:
    try:
        value = json.loads(data.decode("utf-8-sig"), parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise SettingsError({root: f"json: line {error.lineno}, column {error.colno}"}) from None
    except ValueError:
        raise SettingsError({root: "json:"}) from None
    except RecursionError:
        raise SettingsError({root: "depth:"}) from None
    if _is_deeper(value, DEEPEST):
        raise SettingsError({root: "depth:"})
    return value


def _no_constant(_: str) -> None:
    """NaN and Infinity are no JSON."""
    raise ValueError


def _is_deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    members = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deeper(member, levels - 1) for member in members)


def _read_secrets(folder: Optional[str], root: str) -> Optional[Mapping[str, str]]:
    if folder is None:
        return None
    secrets = {}
    try:
        for entry in os.scandir(folder):
            if entry.name.startswith(".") or not entry.is_file() or entry.stat().st_size > LARGEST_SECRET:
                continue
            with open(entry.path, encoding="utf-8", errors="replace", newline="") as opened:
                secrets[entry.name] = re.sub(r"\r?\n\Z", "", opened.read())
    except OSError:
        raise SettingsError({root: "SECRETS_DIR_NOT_READABLE"}) from None
    return secrets


def _make_look_up(environment: Mapping[str, str], secrets: Optional[Mapping[str, str]]) -> Callable[[str], str]:
    """The environment comes first, except for the names that the operator writes; an unset name is empty."""

    def look_up(name: str) -> str:
        if secrets is None:
            return environment.get(name, "")
        if DELIVERED_NAME.fullmatch(name):
            return secrets.get(name, "")
        return environment.get(name, secrets.get(name, ""))

    return look_up


def _expanded(value: Any, look_up: Callable[[str], str]) -> Any:
    """References in all strings; keys are left alone, and what a value contains is never looked at again."""
    if isinstance(value, dict):
        return {key: _expanded(member, look_up) for key, member in value.items()}
    if isinstance(value, list):
        return [_expanded(member, look_up) for member in value]
    if not isinstance(value, str) or "$" not in value:
        return value
    whole = WHOLE_NAME.fullmatch(value)
    if whole is not None:
        return look_up(whole.group(1))
    text = REFERENCE.sub(lambda found: look_up(found.group(1)) if found.group(1) else found.group()[1:], value)
    return text if len(text) <= LONGEST_TEXT else ""
