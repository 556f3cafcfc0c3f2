"""The checks of a processor's own settings, with the reasons of the SDK for JavaScript."""
import math
import re
from typing import Any, Callable, Optional

#: The value of a setting that the file doesn't have. None is `null`, which no setting accepts.
MISSING = object()
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
OFF = ("false", "0", "no", "off")


def number_setting(default: float, least: float = -math.inf, most: float = math.inf) -> Callable[[Any], float]:
    """A number within bounds; a variable's text is read as one."""

    def check(value: Any) -> float:
        if value is MISSING:
            return default
        # An empty text comes from an unset reference.
        if value == "":
            raise ValueError("required:")
        number = _number(value)
        if number is None:
            raise ValueError("type:number")
        if number < least:
            raise ValueError(f"min:{least:.15g}")
        if number > most:
            raise ValueError(f"max:{most:.15g}")
        return number

    return check


def boolean_setting(default: bool) -> Callable[[Any], bool]:
    """True or false; of texts `false`, `0`, `no` and `off` are false and all others true. An empty text is refused."""

    def check(value: Any) -> bool:
        if value is MISSING:
            return default
        if value == "":
            raise ValueError("required:")
        if isinstance(value, str):
            return value.strip().lower() not in OFF
        if not isinstance(value, bool):
            raise ValueError("type:boolean")
        return value

    return check


def text_setting(default: str) -> Callable[[Any], str]:
    """A text; an unset reference gives the empty text."""

    def check(value: Any) -> str:
        if value is MISSING:
            return default
        if not isinstance(value, str):
            raise ValueError("type:string")
        return value

    return check


def _number(value: Any) -> Optional[float]:
    """The finite number that a value is or spells, else None."""
    if isinstance(value, str):
        number = float(value) if DECIMAL.fullmatch(value.strip()) else math.nan
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        number = value
    else:
        return None
    try:
        return number if math.isfinite(number) else None
    except OverflowError:  # An integer that no float holds.
        return None
