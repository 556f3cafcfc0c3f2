/** Descriptions of the settings in processors' files: processor → path → sentence. */
export const PROCESSOR_TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tokenizer: {
    routers: 'Places of the counted texts, by router. A list in the file replaces the default list.',
    'routers[].router': 'Path of a router, or `default`: all routers without an entry.',
    'routers[].request_paths':
      'JSON paths of the texts in `ingress_payload`. Absent: their places in the formats of the common APIs.',
    'routers[].response_paths':
      'JSON paths of the texts in `inbound_payload`. Absent: their places in the formats of the common APIs.',
    'routers[].encodings': 'Encodings by which tokens are counted. Each is a key of the result.',
    by_model: '`true`: tokens are also counted with the encoding of the model that the payload names.',
    max_characters:
      'Most characters of a payload’s texts that are counted exactly. The count of longer texts is an estimate.',
  },
  mock: {
    lambda: 'A replay waits 100/lambda ms on average. 0: a replay does not wait.',
    max_delay_ms: 'Longest wait of a replay. Keep it below the timeout of the entry.',
    routers_prefix: 'Beginning of the paths of replay routers.',
    session_header: 'The value of `session_id_header` in gl_config.json. A replay leaves this recorded header out.',
    shared:
      '`true`: recordings are kept in the key-value store of the bus. All replicas share them, and they survive restarts.',
    recordings: 'Most recordings that are kept. A further recording replaces the oldest one.',
    recording_bytes: 'Most bytes of one recording. A larger answer is not kept.',
    total_bytes: 'Most bytes of all recordings together. Above this sum the oldest recordings are removed.',
  },
  regex: {
    patterns: 'Patterns for texts of answers. A list in the file replaces the two default patterns.',
    'patterns[].routers': 'Paths of the routers of the pattern, or `default` for all routers that no pattern names.',
    'patterns[].path': 'Path of the searched text in `egress_payload`.',
    'patterns[].pattern': 'RE2 expression.',
    'patterns[].field': 'Field of the answer that gets the result.',
    'patterns[].json': '`true`: the text that the pattern finds is JSON.',
    match_json: '`true`: the text that a pattern with `json` finds is parsed.',
    max_sections: 'Most sections of one pattern in one answer. Later sections are left out.',
    max_characters: 'Most characters of a text that are searched, from the beginning of the text.',
  },
  broker: {
    pools: 'The pools: routers that share the calls of another router.',
    'pools[].path': 'Path of the router that callers name.',
    'pools[].members': 'Paths of the routers of the pool. One of them answers a call.',
    disabled_time_minutes: 'Minutes for which a failed member gets no calls. Fractions are allowed.',
  },
  'nlp-entities': {
    request_paths:
      'JSON paths of the texts in `outbound_payload`. Absent: their places in the formats of the common APIs.',
    response_paths:
      'JSON paths of the texts in `egress_payload`. Absent: their places in the formats of the common APIs.',
    routers: 'Paths of texts for single routers. With this list the entry in gl_config.json must send `gl_path`.',
    'routers[].router': 'Path of the router.',
    'routers[].request_paths': 'JSON paths of the texts in `outbound_payload` for this router.',
    'routers[].response_paths': 'JSON paths of the texts in `egress_payload` for this router.',
    labels: 'Labels that are written. Empty: all.',
    further_labels:
      'Labels that identify people, such as e-mail addresses. The processor writes only those in this list.',
    max_characters: 'Most characters of a message that are searched.',
    max_entities: 'Most entities of a message.',
    timeout_ms: 'Milliseconds that the built-in recognizer has for each 4,096 characters.',
    'endpoint.url': 'Address of a service that takes the place of the built-in recognizer.',
    'endpoint.headers': 'Headers of each request to the service.',
    'endpoint.timeout_ms': 'Milliseconds that the service has for its answer.',
  },
  'content-filter': {
    threshold: 'A call with a score above this value is refused.',
    reject_status: 'Status of a refused call.',
    action: '`annotate`: write scores and `is_toxic`, and refuse no call.',
    texts:
      'Texts that are scored. `specified`: `messages[1]`, or else the last message of the user. `all_user`: all messages but earlier answers of the model. `all`: every text of the body.',
    max_characters: 'Most characters of a body’s texts. The processor does not answer a longer body.',
    timeout_ms: 'Milliseconds for one message.',
    scorer: 'Kind of the scorer: the built-in scorer, a model in a folder, or a moderation service.',
    'onnx.directory': 'Folder of the model.',
    'onnx.labels': 'Map from labels of the model to categories of the filter.',
    'onnx.activation':
      '`sigmoid`: each label has its own score. `softmax`: all scores add up to 1. `none`: outputs are scores.',
    'onnx.dtype': 'Precision of the model’s file.',
    'onnx.window_tokens': 'Most tokens that are scored at once.',
    'onnx.max_tokens': 'Most tokens of one body. The processor does not answer a longer body.',
    'onnx.package_directory': 'Folder of the package @huggingface/transformers. Empty: the folder of the program.',
    'endpoint.url': 'Address of the moderation service.',
    'endpoint.api_key': 'Key of the moderation service.',
    'endpoint.model': 'Model of the moderation service.',
    'endpoint.categories':
      'Map from categories of the service to categories of the filter. A map that is not empty replaces the default map.',
    'endpoint.timeout_ms': 'Milliseconds that the service has for its answer.',
    'endpoint.window_characters': 'Most characters of one input. Longer texts are sent as several inputs.',
    'endpoint.max_characters': 'Most characters of one body. The processor does not answer a longer body.',
  },
}

/** Settings for which the resource Processor has no field: processor, or `every` → setting → its value on Kubernetes. */
export const SETTINGS_WITHOUT_FIELD: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  every: {
    version: 'Not set, since programs do not interpret it.',
    log_level: '`INFO`, as in the other pods of a gateway.',
    service_bus: 'The operator sets address, token and subject by environment variables.',
  },
  mock: {
    routers_prefix: '`/mock`. The operator makes the replay routers below this path.',
    session_header: 'The value of `session.header` in the LLMGateway.',
  },
}
