"""The check of `service_bus` in a settings file, whether or not variables take precedence over it."""
import re
from typing import Any, Dict, Mapping, Optional

SUBJECT = re.compile(r"[^\s*>.]+(?:\.[^\s*>.]+)*")
HOST_AND_PORT = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(?::[0-9]{1,5})?")
TLS_FILES = ("ca_file", "cert_file", "key_file")
#: Text -> why it is refused; None: it is accepted.
TEXTS = {
    "hostname": lambda text: None if HOST_AND_PORT.fullmatch(text) else "address:",
    "topic": lambda text: None if SUBJECT.fullmatch(text) else "subject:",
    "topic_exact_isalive": lambda text: None if text == "" or SUBJECT.fullmatch(text) else "subject:",
    "topic_exact_logger": lambda text: None if text == "" or SUBJECT.fullmatch(text) else "subject:",
    "token": lambda text: None,
}
#: Key -> the known keys below it; None: it has none.
BUS_KEYS: Mapping[str, Optional[Mapping[str, None]]] = {**dict.fromkeys(TEXTS), "tls": dict.fromkeys(TLS_FILES)}


def check_service_bus(bus: Any, path: str) -> Mapping[str, str]:
    """Path -> reason. A wrong `tls` must not count as none: the token would leave unencrypted."""
    if not isinstance(bus, dict):
        return {path: "type:object"}
    reasons: Dict[str, str] = {}
    for name, refusal in TEXTS.items():
        if name in bus:
            reason = refusal(bus[name]) if isinstance(bus[name], str) else "type:string"
            if reason is not None:
                reasons[f"{path}.{name}"] = reason
    tls = bus.get("tls", {})
    if not isinstance(tls, dict):
        reasons[f"{path}.tls"] = "type:object"
    else:
        wrong = (name for name in TLS_FILES if not isinstance(tls.get(name, ""), str))
        reasons.update({f"{path}.tls.{name}": "type:string" for name in wrong})
    return reasons
