/** Texts of the page Files. */
export const settingsTexts = {
  settings: {
    about: {
      'gl_config.json': 'The gateway: routers, processors, sessions, masked headers, TLS, limits.',
      'gui_config.json': 'This web interface.',
      'nats-server.conf': 'The bus.',
      'nats2log_config.json': 'The sink that sends records to a log store or an HTTP address, as its mode says.',
      'nats2file_config.json': 'The sink that writes records to files.',
      'tokencounter_config.json': 'The token counter: a cap for each router.',
      'ginit_config.json': 'The supervisor: the services that it starts.',
    },
    form: 'Form',
    text: 'Text',
    general: 'General',
    onePerLine: (what: string | undefined) => (what === undefined ? 'One per line.' : `One per line: ${what}`),
    unset: 'not set',
    preset: (value: string) => `default: ${value}`,
    options: {
      true: 'on',
      false: 'off',
      file_writer: 'file_writer: files',
      rest_api_writer: 'rest_api_writer: any HTTP address',
      elastic_writer: 'elastic_writer: Elasticsearch',
      azure_log_analytics_writer: 'azure_log_analytics_writer: Azure, by workspace key',
      azure_logs_ingestion_writer: 'azure_logs_ingestion_writer: Azure, by ingestion rule',
      postgres_writer: 'postgres_writer: PostgreSQL',
      otlp_writer: 'otlp_writer: OpenTelemetry',
      s3_writer: 's3_writer: S3',
    } as Readonly<Record<string, string>>,
    entry: (number: number) => `Entry ${number}`,
    add: (name: string) => `Add to ${name}`,
    remove: (name: string) => `Delete ${name}`,
    asText: (name: string, count: number) =>
      count === 0 ? `${name}: edit it on the tab Text.` : `${name}: ${count} entries. Edit them on the tab Text.`,
    readOnly: (paths: readonly string[]) =>
      `These fields can only be changed in the file on the machine of the gateway: ${paths.join(', ')}`,
  },
} as const
