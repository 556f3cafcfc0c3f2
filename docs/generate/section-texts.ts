const BUS = 'Address of the bus, token for the connection, and subjects.'
const TLS_OUTBOUND = 'Certificate authorities that the program trusts when it connects to its target.'

const SINK = {
  batch: 'A sink sends records in batches. A batch is sent when one of these limits is reached.',
  filter: 'Fields of the record that the target gets. The record in the stream of the bus has all fields.',
  tls: TLS_OUTBOUND,
  service_bus: BUS,
  file_writer: 'Used if `mode` is `file_writer`.',
  rest_api_writer: 'Used if `mode` is `rest_api_writer`.',
  elastic_writer: 'Used if `mode` is `elastic_writer`.',
  azure_logs_ingestion_writer: 'Used if `mode` is `azure_logs_ingestion_writer`.',
  postgres_writer: 'Used if `mode` is `postgres_writer`.',
  otlp_writer: 'Used if `mode` is `otlp_writer`.',
  s3_writer: 'Used if `mode` is `s3_writer`.',
}

/** Sentences below the headings of sections: file → section → sentence. */
export const SECTION_TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  gl_config: {
    tls: '`ingress`: connections of callers. `outbound`: connections to LLM APIs. [Use TLS](../tasks/tls.md) has an example.',
    service_bus: BUS,
    record:
      'Keeping of records on the bus, and the way of a record that the bus does not take: [Kept records](kept-records.md).',
    spool: 'The folder on disk for records that the bus does not take: [Kept records](kept-records.md).',
    limits:
      'The end of a name is the unit: `_bytes`, or `_ms` for milliseconds. On Kubernetes an LLMGateway has fields for `request_bytes`, `drain_delay_ms` and `drain_ms` only; the other limits have their defaults.',
    request: 'Processors that the gateway calls before it calls the LLM API: [Bus protocol](bus.md).',
    response: 'Processors that the gateway calls after the LLM API has answered: [Bus protocol](bus.md).',
    logger: 'Fields that the record contains: [Record](record.md).',
    routers:
      'A list with one entry for each path of the gateway: [Configuration rules](configuration-rules.md#routers-in-the-file).',
  },
  gui_config: {
    tls: 'TLS for connections of browsers.',
    service_bus: BUS,
    kubernetes: 'The operator sets these fields for a web interface in Kubernetes.',
    services: 'A list with one entry for each program of the installation.',
  },
  nats2file_config: SINK,
  tokencounter_config: {
    service_bus: BUS,
    token_caps: 'A list with one entry for each router that has a cap.',
    usage_fields: 'A list with one entry for each router whose answers have token counts in a form of their own.',
  },
  ginit_config: {
    services: 'A list with one entry for each program that the supervisor starts.',
  },
}
