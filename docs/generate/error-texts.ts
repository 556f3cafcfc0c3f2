type ErrorText = { readonly cause: string; readonly remedy: string }

/** Cause and remedy of each error code of the gateway. */
export const ERROR_TEXTS: Readonly<Record<string, ErrorText>> = {
  NOT_JSON: {
    cause:
      'The body is not JSON, is nested deeper than `limits.json_depth`, is not UTF-8, or is empty although the method is POST, PUT or PATCH.',
    remedy: 'Send JSON.',
  },
  BAD_PATH: {
    cause:
      'The path has a dot segment, `#`, a broken escape or an encoded NUL, CR or LF; or the request is not valid HTTP.',
    remedy: 'Correct the path.',
  },
  INGRESS_HEADER_MISSING: {
    cause: 'A header that the router requires is missing. The message names it.',
    remedy: 'Send the header.',
  },
  INGRESS_HEADER_INVALID: {
    cause: 'A header that the router requires has another value. The message names it.',
    remedy: 'Send the value that the router’s owner gave you.',
  },
  ROUTER_NOT_FOUND: {
    cause: 'No router has the path, or the router is rejected, disabled or internal.',
    remedy:
      'Compare the path with `/status?entries=1` of the admin port; look for `configuration has rejected fields` in the log. The path must contain the last slash of the router’s path.',
  },
  METHOD_NOT_ALLOWED: {
    cause: 'The method is CONNECT or TRACE, or the request asks for an Upgrade.',
    remedy: 'Use another method.',
  },
  REQUEST_TIMEOUT: {
    cause: 'The request did not arrive in time.',
    remedy: 'Send faster, or raise the timeouts of `limits`.',
  },
  BODY_TOO_LARGE: {
    cause: 'The body is larger than `limits.request_bytes`.',
    remedy: 'Send a smaller body, or raise the limit.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    cause: 'The body is not JSON and its Content-Type says so, or the body has a Content-Encoding.',
    remedy: 'Send JSON without Content-Encoding.',
  },
  HEADERS_TOO_LARGE: {
    cause:
      'The head of the request is larger than `limits.header_bytes`, or its `Connection` header has more than 1,024 characters.',
    remedy: 'Send fewer headers, or raise the limit.',
  },
  CALLER_GONE: { cause: 'The caller closed its connection.', remedy: 'Raise the caller’s timeout.' },
  INTERNAL: { cause: 'A fault of the gateway.', remedy: 'Report it with the ERROR lines of the log.' },
  OVERLOADED: {
    cause: 'The bytes of all calls together exceed `limits.buffered_bytes`.',
    remedy:
      'Try again after `Retry-After`. Add replicas or memory: see [the runbook](../runbooks/LLMGatewayMemoryNearBound.md).',
  },
  RECORDS_FULL: {
    cause: 'There is no room for the record of the call, and `record.when_full` is `refuse`.',
    remedy:
      'Try again after `Retry-After`. Bring the bus back: see [the runbook](../runbooks/LLMGatewayRecordQueueFills.md).',
  },
  PROCESSOR_REQUIRED: {
    cause: 'A processor with `required: true` gave no answer. `request.error` of the record says why.',
    remedy: 'Start the processor; see [the runbook](../runbooks/LLMGatewayRequiredProcessorFails.md).',
  },
  UPSTREAM_REFUSED: { cause: 'The LLM API refused the connection.', remedy: 'Check `outbound.url` and its port.' },
  UPSTREAM_RESET: {
    cause: 'The LLM API closed or reset the connection before the end of its answer.',
    remedy: 'Try again; look at the LLM API.',
  },
  UPSTREAM_TLS: {
    cause: 'TLS with the LLM API failed.',
    remedy:
      'Add the certificate authority of the LLM API to `tls.outbound.cert_files`, on Kubernetes to `tls.outbound.caRefs` of the LLMGateway.',
  },
  UPSTREAM_PROTOCOL: {
    cause:
      'The LLM API answered with broken HTTP, with a `Transfer-Encoding` other than `chunked`, or with a `Connection` header of more than 1,024 characters.',
    remedy: 'Check that the port speaks HTTP/1.1.',
  },
  UPSTREAM_TOO_LARGE: {
    cause: 'An answer that is collected for processors is larger than `limits.response_bytes`.',
    remedy: 'Raise the limit, or leave payload fields out of the synchronous entries of `response.processors`.',
  },
  UPSTREAM_ENCODING: {
    cause: 'The answer’s content coding cannot be decoded.',
    remedy: 'Look at the LLM API or at a proxy in front of it.',
  },
  UPSTREAM_DENIED: {
    cause: '`outbound_deny` lists the LLM API’s address, or has further ranges that the gateway can’t apply yet.',
    remedy: 'Change the router’s address, or the list. An ERROR line says why ranges can’t be applied.',
  },
  UPSTREAM_NOT_FOUND: {
    cause: 'The LLM API’s name is not found, or its network is not reachable.',
    remedy: 'Check the name, DNS and egress rules.',
  },
  UPSTREAM_TIMEOUT: {
    cause: 'The LLM API was too slow: to connect, to send the head of its answer, or between two bytes of its answer.',
    remedy: 'Look at the LLM API. Let callers ask for streams, or raise the `outbound_…_ms` timeouts of `limits`.',
  },
}
