const BUS_TLS = {
  'service_bus.tls.ca_file': 'PEM file of the authority that signed the certificate of the bus.',
  'service_bus.tls.cert_file': 'PEM file of the certificate that the program shows to the bus.',
  'service_bus.tls.key_file': 'PEM file of the key of that certificate.',
}

/** Texts of settings that several files have. */
const SHARED = {
  version: 'Version of the file’s form. The program keeps it and compares it with nothing.',
  log_level: 'Lines below this level are not written.',
  'tls.ingress.enabled': 'Serve HTTPS instead of HTTP.',
  'tls.outbound.system_cert_pool': 'Trust the certificate authorities of the machine.',
  'tls.ingress.certificate_file': 'PEM file of the certificate. Required where TLS is enabled, else ignored.',
  'tls.ingress.private_key_file': 'PEM file of the key. Required where TLS is enabled, else ignored.',
  'tls.outbound.insecure': 'Trust any certificate. For development only.',
  'tls.outbound.cert_files': 'PEM files of further authorities to trust.',
  'service_bus.hostname': 'Address of the bus: `host` or `host:port`, without user-info.',
  'service_bus.topic': 'Accepted from older files. Nothing is published there.',
  'service_bus.topic_exact_isalive':
    'Subject on which the gateway answers that it is alive. Other programs do not use it.',
  'service_bus.topic_exact_logger': 'Subject of the records.',
  'service_bus.token': 'The token that the bus asks for.',
  ...BUS_TLS,
}

const ROW = {
  name: 'Name of the processor in the record, in metrics and in error texts: letters, digits and `_`.',
  service_bus_topic: 'Subject on the bus that the processor subscribes to.',
  timeout: 'Milliseconds that the gateway waits for the processor’s answer.',
  modifier: '`false`: the processor only adds fields. `true`: it only replaces fields that exist.',
  required:
    'Request phase: without an answer the call is not made and the caller gets 503. Response phase: the record gets an error entry.',
  async: 'The gateway calls the processor after the caller has its answer. Its fields only reach the record.',
  input_fields_include: 'First-level fields that the processor is sent. Empty: all.',
  input_fields_exclude: 'First-level fields that the processor is not sent.',
  output_fields_write: 'The only fields that the gateway takes from the reply. Empty: none.',
  routers: 'Router paths that the entry applies to. Absent: every router.',
  reroute_to: 'Router paths that a written `gl_path` may name. Absent: any.',
}

const GATEWAY = {
  gateway_id: 'First part of every session and transaction id: exactly 8 of A-Z and 0-9.',
  gl_port: 'Port for callers. 0: a free port.',
  admin_host: 'Address that the admin port listens on.',
  admin_port: 'Port of `/metrics`, `/healthz`, `/readyz` and `/status`. 0: off.',
  session_id_header:
    'Header that carries the session id in both directions. Names of framing and hop-by-hop headers, `Host`, `Trailer`, `Content-*`, `Date` and `Set-Cookie` are refused.',
  masked_headers:
    'Headers whose values are masked in records, in messages to processors and in log lines. Unique, in any case.',
  masked_query_parameters: 'Query parameters whose values are masked in the same places.',
  remove_headers: 'Headers that the gateway removes on the way to the LLM API and on the way back.',
  log_unauthorized: 'Publish a record for a call that failed the ingress check.',
  'service_bus.topic_exact_isalive':
    'Subject on which the gateway answers that it is alive. Empty: it does not answer.',
  'service_bus.topic_exact_logger': 'Subject that records are published on. Empty: no records are made.',
  'record.durability':
    '`outage`: records wait in memory and on disk while the bus is away. `journal`: also, each record is on disk before its caller has the whole answer.',
  'record.when_full':
    'What happens when there is no room: `drop` the record and count it, or `refuse` the call with 503 RECORDS_FULL.',
  'limits.request_bytes': 'Largest body of a request. Above it the answer is 413.',
  'limits.drain_delay_ms': 'After SIGTERM the port stays open this long.',
  'limits.drain_ms': 'After SIGTERM calls that still run are cut after this long.',
  'record.stream': '`off`: the bus keeps no records, and there is no spool.',
  'record.wait_ms': 'How long a call, or its record, waits for room in the record queue.',
  'spool.directory':
    'Folder of the records that the bus does not take now. Each gateway needs its own. Empty: no spool.',
  'spool.max_bytes': 'Most bytes of the spool.',
  outbound_deny: 'Addresses, as CIDR, that no call may connect to. Checked after the name was resolved.',
  'limits.response_bytes':
    'Largest answer that is recorded or collected for processors, decoded. A longer one passes; its record is cut.',
  'limits.buffered_bytes':
    'All bytes that calls hold at once, answers and records included. Above it the answer is 503 OVERLOADED.',
  'limits.header_bytes': 'Largest head of a request. Above it the answer is 431.',
  'limits.request_headers_timeout_ms': 'Time for the head of a request.',
  'limits.request_idle_timeout_ms':
    'Longest silence of a caller within its body, and longest time in which a caller takes nothing of its answer.',
  'limits.request_body_timeout_ms': 'Time for the whole body of a request.',
  'limits.json_depth':
    'Levels of JSON. A request that is nested deeper is refused with 400; an answer is recorded as text.',
  'limits.keep_alive_timeout_ms':
    'How long a caller’s idle connection stays open. Longer than the 60 s of most load balancers.',
  'limits.outbound_connect_timeout_ms': 'Time to connect to the LLM API.',
  'limits.outbound_headers_timeout_ms': 'Time until the LLM API sends the head of its answer.',
  'limits.outbound_timeout_ms': 'Longest silence of the LLM API between two bytes. A stream has no limit in total.',
  'limits.record_queue_bytes': 'Bytes of records that wait in memory for the bus or the spool.',
  'request.processors':
    'Rows of the request phase. A row is a list of entries that are called side by side; rows run one after another.',
  'response.processors': 'Rows of the response phase, in the same form.',
  'logger.request.fields_include': 'First-level fields of `request` that the record keeps. Empty: all.',
  'logger.request.fields_exclude': 'First-level fields of `request` that the record leaves out.',
  'logger.response.fields_include': 'First-level fields of `response` that the record keeps. Empty: all.',
  'logger.response.fields_exclude': 'First-level fields of `response` that the record leaves out.',
  routers: 'The routers. Each `path` stands once; `/echo/` exists even when no file names it.',
  'routers[].path': 'Path that calls begin with: `/name/`. The longest path that fits wins.',
  'routers[].disabled': 'Callers get 404. Such an entry needs only `path`; its other fields are not read.',
  'routers[].internal': 'Only a written `gl_path` reaches the router. Callers get 404.',
  'routers[].ingress.headers':
    'Headers that a request must carry, with the same values in the same order. `["regex:.+"]`: present and not empty.',
  'routers[].outbound.url': 'Address of the LLM API, http or https. Required unless the router is disabled.',
  'routers[].outbound.endpoint': 'Path and query that replace the rest of the caller’s path.',
  'routers[].outbound.headers': 'Headers sent to the LLM API. They win over the caller’s.',
  ...Object.fromEntries(
    ['request', 'response'].flatMap((phase) =>
      Object.entries(ROW).map(([name, text]) => [`${phase}.processors[][].${name}`, text]),
    ),
  ),
}

const SERVICE = {
  'services[].name': 'Name of the service in log lines and in the web interface.',
  'services[].file':
    'The program. Node runs one that ends in `.ts`; a bare name is looked up on PATH; a relative path belongs to the installation.',
  'services[].config_command': 'Flag that stands before the path of the configuration file.',
  'services[].configuration_file': 'The configuration file that the program gets.',
  'services[].validate_command': 'Flag that makes the program judge its file and end. Empty: the program can not.',
}

const GUI = {
  gui_port: 'Port of the web interface.',
  secret: 'Password of the login, and bearer token of scripts.',
  failed_authentication_limit: 'Wrong passwords, from all addresses together, until nobody can log in for a while.',
  allowed_hosts:
    'Names in `Host` that the interface answers to, beside localhost, the machine’s name and its addresses.',
  'kubernetes.gateway': 'Name of the LLMGateway that the interface shows.',
  'kubernetes.namespace': 'Namespace of that LLMGateway.',
  'kubernetes.namespaces': 'Further namespaces whose Routers attach to this gateway.',
  'kubernetes.mode': '`ReadOnly`: resources are shown. `Edit`: people whom the API server lets may change them here.',
  'kubernetes.read_role':
    'Role by which the interface’s account reads. The role to write by has the same name with `web-edit`.',
  working_directory: 'Folder of drafts. Never the folder of the live files.',
  archive_directory: 'Folder of earlier versions.',
  services: 'The programs whose files the interface edits.',
  ...SERVICE,
}

const SUPERVISOR = {
  max_starts: 'Starts of one service within 60 s; at one more the supervisor ends with exit code 1.',
  services: 'The services, in the order in which they start.',
  'services[].additional_arguments': 'Further arguments of the program.',
  'services[].healthy_output': 'Part of the log line by which the supervisor knows that the service is up.',
  'services[].disable_config_file_monitoring':
    '`true`: the supervisor does not restart the service when its file changes.',
  'services[].die_promise': '`true`: everything stops when the service is not healthy.',
  ...SERVICE,
}

const SINK = {
  mode: 'Where records go. Absent, or without the section of that name or an address in it: the sink idles.',
  admin_host: 'Address that the admin port listens on.',
  admin_port: 'Port of `/metrics`, `/healthz` and `/readyz`. 0: off.',
  'batch.ms': 'Milliseconds that a record waits for others.',
  'file_writer.rotate.bytes': 'A file that reached this size is set aside. 0: never.',
  'file_writer.rotate.seconds': 'A file of this age is set aside with the next record. 0: never.',
  'file_writer.rotate.gzip': 'Compress files that were set aside.',
  'file_writer.rotate.keep_files': 'How many such files are kept. 0: all.',
  'file_writer.rotate.keep_days': 'For how many days such files are kept. 0: for ever.',
  'file_writer.fsync': '`true`: a batch counts as delivered once the disk has it.',
  'rest_api_writer.batch_format':
    '`none`: one POST for each record. `ndjson`: one for a batch, a record a line. `array`: one for a batch, as a JSON array.',
  'elastic_writer.api_key': 'API key in base64, as Elasticsearch shows it. It goes before user and password.',
  'elastic_writer.document_ids':
    'Use the record’s message id as the document’s id: a repeated try makes no second document.',
  'elastic_writer.bulk':
    '`true`: a batch leaves in one request to `/<index>/_bulk`. `false`: each record goes to `/<index>/_doc`.',
  'otlp_writer.url': 'Address of the receiver, without `/v1/logs`.',
  's3_writer.url': 'Address of the server, such as `https://s3.eu-central-1.amazonaws.com`.',
  'azure_logs_ingestion_writer.url': 'Address of the data collection endpoint.',
  'azure_logs_ingestion_writer.rule_id': 'Immutable id of the data collection rule: `dcr-…`.',
  'azure_logs_ingestion_writer.stream': 'Stream of the rule: `Custom-<table>_CL`.',
  'azure_logs_ingestion_writer.identity':
    '`managed`: use the identity that Azure gave the machine or container. It has neither tenant nor secret.',
  'azure_logs_ingestion_writer.identity_url': 'Address that gives tokens to a managed identity.',
  retries: 'Read and ignored; a WARN names it. A record is tried until the target has it.',
  retry_delay_milliseconds: 'Read and ignored; a WARN names it.',
  start: 'Where a new sink begins in the stream: `beginning`, `now`, or a time ago such as `30m`, `1h`, `2d`.',
  'batch.records': 'Most records of one batch.',
  'batch.bytes': 'Most bytes of one batch. A single record may be larger.',
  payloads: '`off`: the four payloads are left out.',
  'filter.request.fields_include': 'First-level fields of `request` that are written. Empty: all.',
  'filter.request.fields_exclude': 'First-level fields of `request` that are left out.',
  'filter.response.fields_include': 'First-level fields of `response` that are written. Empty: all.',
  'filter.response.fields_exclude': 'First-level fields of `response` that are left out.',
  'tls.insecure': 'The same as `tls.outbound.insecure`, as older files have it.',
  'tls.system_cert_pool': 'The same as `tls.outbound.system_cert_pool`, as older files have it.',
  'tls.cert_files': 'The same as `tls.outbound.cert_files`, as older files have it.',
  'file_writer.filename': 'The file. Each record is one line of JSON.',
  'file_writer.write_mode':
    '`append`: write on. `overwrite`: at the start the old file gets a name with the time, and a new file begins. `new`: each start has a file of its own.',
  'rest_api_writer.url': 'Address of the receiver, without port and path.',
  'rest_api_writer.port': 'Port of the receiver. Absent: that of the address.',
  'rest_api_writer.endpoint': 'Path of the receiver.',
  'rest_api_writer.headers': 'Headers of each request.',
  'elastic_writer.url': 'Address of Elasticsearch.',
  'elastic_writer.port': 'Port of Elasticsearch. Absent: that of the address.',
  'elastic_writer.index': 'Index, alias or data stream: no capitals.',
  'elastic_writer.username': 'User for Basic authentication.',
  'elastic_writer.password': 'Password of that user.',
  azure_log_analytics_writer:
    'Settings of the HTTP Data Collector API, which has ended. Such a sink idles and says so.',
  'azure_logs_ingestion_writer.tenant_id': 'Tenant of the application that may write.',
  'azure_logs_ingestion_writer.client_id': 'Id of that application.',
  'azure_logs_ingestion_writer.client_secret': 'Secret of that application.',
  'azure_logs_ingestion_writer.authority': 'Address that gives tokens. Other clouds have another one.',
  'postgres_writer.host': 'Host of PostgreSQL.',
  'postgres_writer.port': 'Port of PostgreSQL.',
  'postgres_writer.database': 'Database.',
  'postgres_writer.user': 'User.',
  'postgres_writer.password': 'Password of the user.',
  'postgres_writer.table': '`table` or `schema.table`. The sink makes it where the user may.',
  'postgres_writer.tls': '`false`: the connection is not encrypted.',
  'otlp_writer.headers': 'Headers of each request.',
  'otlp_writer.service_name': 'The resource attribute `service.name`.',
  's3_writer.bucket': 'Bucket.',
  's3_writer.prefix': 'First part of an object’s name, before the hour.',
  's3_writer.region': 'Region that requests are signed for.',
  's3_writer.access_key_id': 'Id of the key.',
  's3_writer.secret_access_key': 'The key.',
  's3_writer.session_token': 'Token of a temporary key.',
}

const TOKEN_COUNTER = {
  cap_period_seconds: 'Length of the window in which tokens are counted.',
  token_caps: 'Caps by router.',
  'token_caps[].router': 'Path of the router.',
  'token_caps[].fields': 'Caps of the router, by kind of token.',
  'token_caps[].fields[].field': 'Kind of token.',
  'token_caps[].fields[].value': 'Most tokens of this kind in a window. 0: no cap.',
  usage_fields: 'Where the counts stand in an answer, by router.',
  'usage_fields[].router': 'Path of a router, or `default`.',
  'usage_fields[].patterns': 'One place for each kind of token.',
  'usage_fields[].patterns[].field': 'Kind of token.',
  'usage_fields[].patterns[].pattern': 'Path in the message, such as `inbound_payload.usage.prompt_tokens`.',
}

/** Descriptions of settings whose schema has none or one for editors only: file → path → sentence. */
export const SETTING_TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  gl_config: { ...SHARED, ...GATEWAY },
  gui_config: { ...SHARED, ...GUI },
  nats2file_config: { ...SHARED, ...SINK },
  nats2log_config: { ...SHARED, ...SINK },
  tokencounter_config: { ...SHARED, ...TOKEN_COUNTER },
  ginit_config: { ...SHARED, ...SUPERVISOR },
}

export const SHARED_TEXTS: ReadonlySet<string> = new Set(Object.keys(SHARED))
