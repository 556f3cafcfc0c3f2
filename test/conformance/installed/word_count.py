"""The processor of the tests of the installed SDK, in Python; word-count.mjs is the same one."""
import sys

from llm_gateway_sdk import ProcessorDefinition, RunningProcessor, run_processor


def answer(fields, call):
    """The words of all messages' texts."""
    payload = fields.get("ingress_payload")
    messages = payload.get("messages") if isinstance(payload, dict) else None
    if not isinstance(messages, list):
        return None
    texts = [message.get("content") if isinstance(message, dict) else None for message in messages]
    if not all(isinstance(text, str) for text in texts):
        return None
    return {"word_count": sum(len(text.split()) for text in texts)}


definition = ProcessorDefinition("wordcount", "1.2.3", lambda settings, context: RunningProcessor(answer))
sys.exit(run_processor(definition))
