"""Where the bus is, which subject is the processor's, and which port it opens."""
import re
import ssl
from typing import Any, Dict, Mapping, NamedTuple, Optional

from ._definition import SettingsError
from ._service_bus import SUBJECT, TLS_FILES

ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9_][A-Za-z0-9._-]*))(?::([0-9]{1,5}))?")
MOST_PORT = 65_535


class Plan(NamedTuple):
    """Where a processor listens."""

    subject: str
    #: The arguments of nats-py's `connect`.
    bus: Mapping[str, Any]
    #: Files of certificates and key; None: the bus is reached without TLS.
    tls_files: Optional[Mapping[str, str]]
    #: None: no port is opened.
    port: Optional[int]
    host: Optional[str]


def make_plan(name: str, environment: Mapping[str, str], service_bus: Mapping[str, Any]) -> Plan:
    """The environment's address and files go before the file's; an empty value counts as unset.

    `service_bus` was checked by `check_service_bus`.
    """
    reasons: Dict[str, str] = {}
    address = environment.get("GATEWAY_HOST") or service_bus.get("hostname") or "localhost:4222"
    found = ADDRESS.fullmatch(address.strip())
    bus_port = int(found.group(3) or 4222) if found else 0
    if not 1 <= bus_port <= MOST_PORT:
        reasons["GATEWAY_HOST" if environment.get("GATEWAY_HOST") else f"{name}_config.service_bus.hostname"] = "address:"
    prefix = environment.get("BUS_PREFIX") or "llm"
    subject = environment.get("PROCESSOR_SUBJECT") or f"{prefix}.gl.{name}"
    if SUBJECT.fullmatch(subject) is None:
        reasons["PROCESSOR_SUBJECT" if environment.get("PROCESSOR_SUBJECT") else "BUS_PREFIX"] = "subject:"
    port = environment.get("PROCESSOR_PORT") or "0"
    if re.fullmatch(r"[0-9]{1,5}", port) is None or int(port) > MOST_PORT:
        reasons["PROCESSOR_PORT"] = "port:"
    if reasons or found is None:
        raise SettingsError(reasons)
    host = f"[{found.group(1)}]" if found.group(1) else found.group(2)
    bus = {"servers": [f"nats://{host}:{bus_port}"], **_credentials(environment, service_bus)}
    files = _tls_files(environment, service_bus)
    return Plan(subject, bus, files, int(port) or None, environment.get("PROCESSOR_HOST") or None)


def _credentials(environment: Mapping[str, str], service_bus: Mapping[str, Any]) -> Mapping[str, str]:
    if environment.get("NATS_CREDS"):
        return {"user_credentials": environment["NATS_CREDS"]}
    if environment.get("NATS_USER"):
        return {"user": environment["NATS_USER"], "password": environment.get("NATS_PASSWORD", "")}
    token = service_bus.get("token")
    return {"token": token} if token else {}


def _tls_files(environment: Mapping[str, str], service_bus: Mapping[str, Any]) -> Optional[Mapping[str, str]]:
    files = {name: environment.get(f"NATS_{name.upper()}") for name in TLS_FILES}
    if not any(files.values()):
        files = service_bus.get("tls", {})
    return {name: files[name] for name in TLS_FILES if files.get(name)} or None


def tls_context(files: Mapping[str, str]) -> ssl.SSLContext:
    """Reads the files; raises OSError where one can't be read or holds no certificate or key."""
    context = ssl.create_default_context(cafile=files.get("ca_file"))
    if "cert_file" in files:
        context.load_cert_chain(files["cert_file"], files.get("key_file"))
    return context
