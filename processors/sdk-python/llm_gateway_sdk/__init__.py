"""Write processors for llm-gateway: programs on its bus that add to, change or answer calls to LLM APIs."""
from ._definition import Call, Context, Limits, ProcessorDefinition, RunningProcessor, SettingsError
from ._key_value import Entry, KeyValue, ReadOutcome, Watch, WriteOutcome
from ._program import run_processor
from ._value_settings import boolean_setting, number_setting, text_setting

__all__ = [
    "Call",
    "Context",
    "Entry",
    "KeyValue",
    "Limits",
    "ProcessorDefinition",
    "ReadOutcome",
    "RunningProcessor",
    "SettingsError",
    "Watch",
    "WriteOutcome",
    "boolean_setting",
    "number_setting",
    "run_processor",
    "text_setting",
]
# Written by `make release`, which takes it from the repository's package.json.
__version__ = "0"
