"""The settings file: gzip, references to the environment and to files of SECRETS_DIR, checks."""
import gzip
import json
import math
import os
import re
import zlib
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional

from ._definition import ProcessorDefinition, SettingsError
from ._log import LEVELS

MOST_BYTES = 64 * 1024 * 1024
LARGEST_SECRET = 1024 * 1024
LONGEST_TEXT = 1024 * 1024
REFERENCE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
WHOLE_NAME = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
OFF = ("false", "0", "no", "off")
KEYS = ("$schema", "version", "log_level", "service_bus")


class Settings(NamedTuple):
    """A settings file that was checked."""

    own: Mapping[str, Any]
    log_level: str
    service_bus: Mapping[str, Any]
    unknown_keys: List[str]


def number_setting(default: float, least: float = -math.inf, most: float = math.inf) -> Callable[[Any], float]:
    """A number within bounds; a variable's text is read as one."""

    def check(value: Any) -> float:
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise ValueError("type:")
        try:
            number = float(value) if isinstance(value, str) else value
        except ValueError:
            raise ValueError("type:") from None
        if not math.isfinite(number) or not least <= number <= most:
            raise ValueError("range:")
        return number

    return check


def boolean_setting(default: bool) -> Callable[[Any], bool]:
    """True or false; of texts `false`, `0`, `no` and `off` are false and all others true."""

    def check(value: Any) -> bool:
        if value is None:
            return default
        if isinstance(value, str):
            return value.lower() not in OFF
        if not isinstance(value, bool):
            raise ValueError("type:")
        return value

    return check


def text_setting(default: str) -> Callable[[Any], str]:
    """A text."""

    def check(value: Any) -> str:
        if value is None:
            return default
        if not isinstance(value, str):
            raise ValueError("type:")
        return value

    return check


def read_settings(
    definition: ProcessorDefinition, path: Optional[str], environment: Mapping[str, str]
) -> Settings:
    """Reads and checks a file, None: an empty one; raises SettingsError with path -> reason."""
    root = f"{definition.name}_config"
    secrets = _read_secrets(environment.get("SECRETS_DIR") or None, root)
    file = _expanded(_read_file(path, root), environment, secrets)
    reasons: Dict[str, str] = {}
    own: Dict[str, Any] = {}
    values = {key: value for key, value in file.items() if key not in KEYS}
    for variable, setting in definition.variables.items():
        if environment.get(variable):
            values[setting] = environment[variable]
    for name, check in definition.settings.items():
        try:
            own[name] = check(values.get(name))
        except ValueError as error:
            reasons[f"{root}.{name}"] = str(error)
    level = file.get("log_level", "INFO")
    if level not in LEVELS:
        reasons[f"{root}.log_level"] = "value:"
    bus = file.get("service_bus", {})
    if not isinstance(bus, dict) or not all(isinstance(bus.get(name, ""), str) for name in ("hostname", "token")):
        reasons[f"{root}.service_bus"] = "type:"
    if reasons:
        raise SettingsError(reasons)
    return Settings(own, level, bus, sorted(key for key in values if key not in definition.settings))


def _read_file(path: Optional[str], root: str) -> dict:
    if path is None:
        return {}
    try:
        with open(path, "rb") as opened:
            data = opened.read(MOST_BYTES + 1)
            if data[:2] == b"\x1f\x8b":
                opened.seek(0)
                with gzip.open(opened) as packed:
                    data = packed.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise SettingsError({root: "FILE_NOT_READABLE"}) from None
    if len(data) > MOST_BYTES:
        raise SettingsError({root: "FILE_TOO_LARGE"})
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise SettingsError({root: "json:"}) from None
    if not isinstance(value, dict):
        raise SettingsError({root: "type:"})
    return value


def _read_secrets(folder: Optional[str], root: str) -> Mapping[str, str]:
    if folder is None:
        return {}
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


def _expanded(value: Any, environment: Mapping[str, str], secrets: Mapping[str, str]) -> Any:
    """References in all strings; keys are left alone, and what a value contains is never looked at again."""
    if isinstance(value, dict):
        return {key: _expanded(member, environment, secrets) for key, member in value.items()}
    if isinstance(value, list):
        return [_expanded(member, environment, secrets) for member in value]
    if not isinstance(value, str) or "$" not in value:
        return value
    look_up = lambda name: environment.get(name, secrets.get(name, ""))  # noqa: E731
    whole = WHOLE_NAME.fullmatch(value)
    if whole is not None:
        return look_up(whole.group(1))
    text = REFERENCE.sub(lambda found: look_up(found.group(1)) if found.group(1) else found.group()[1:], value)
    return text if len(text) <= LONGEST_TEXT else ""
