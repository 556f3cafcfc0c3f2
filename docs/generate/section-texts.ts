const BUS = 'The address of the bus, the token that it asks for, and its subjects.'
const TLS_OUTBOUND = 'Which certificates the program trusts when it connects to its target.'

const SINK = {
  batch: 'A sink sends records in batches. A batch leaves when one of these limits is reached.',
  filter: 'Fields of the record that the target gets. The record in the stream of the bus keeps all.',
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
    tls: '`ingress`: connections of callers. `outbound`: connections to LLM APIs. [TLS everywhere](../tasks/tls.md) has an example.',
    service_bus: BUS,
    record:
      'Whether the bus keeps records, and what happens to a record that the bus does not take: [Kept records](kept-records.md).',
    spool: 'The folder on disk for records that the bus does not take: [Kept records](kept-records.md).',
    limits: 'Names end in the unit: `_bytes`, `_ms` for milliseconds.',
    request: 'Which processors the gateway calls before it calls the LLM API: [Bus protocol](bus.md).',
    response: 'Which processors the gateway calls after the LLM API has answered: [Bus protocol](bus.md).',
    logger: 'Which fields the record has: [Record](record.md).',
    routers:
      'A list with one entry for each path of the gateway: [Configuration rules](configuration-rules.md#routers-in-the-file).',
  },
  gui_config: {
    tls: 'Connections of browsers.',
    service_bus: BUS,
    kubernetes: 'Set by the operator where the web interface runs in Kubernetes.',
    services: 'A list with one entry for each program of the installation.',
  },
  nats2file_config: SINK,
  tokencounter_config: {
    service_bus: BUS,
    token_caps: 'A list with one entry for each router that has a cap.',
    usage_fields: 'A list with one entry for each form of an answer.',
  },
  ginit_config: {
    services: 'A list with one entry for each program that the supervisor starts.',
  },
}
