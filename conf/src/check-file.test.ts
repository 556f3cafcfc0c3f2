import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  checkGinitConfig,
  checkGuiConfig,
  checkSinkConfig,
  checkTokenCounterConfig,
  type FileCheck,
} from './check-file.ts'

// Rules: docs/reference/configuration-rules.md#files-of-the-other-programs,
// docs/reference/configuration-rules.md#references, docs/reference/nats2file-config.md, docs/reference/gui-config.md,
// docs/reference/ginit-config.md, docs/reference/tokencounter-config.md

const environment = { NATS_TOKEN: 'a"b\\', GUI_SECRET: '${NATS_TOKEN}', KEY: 'a2V5' }
const bytesOf = (file: unknown) => Buffer.from(JSON.stringify(file))

function config<T>(verdict: FileCheck<T>): T {
  assert.ok(verdict.kind === 'checked', JSON.stringify(verdict))
  return verdict.config
}
const sink = (file: unknown) => checkSinkConfig(bytesOf(file), { environment })

const checks = [
  ['sink_config', checkSinkConfig, {}],
  ['tokencounter_config', checkTokenCounterConfig, {}],
  ['gui_config', checkGuiConfig, {}],
  ['ginit_config', checkGinitConfig, { services: [{ name: 'a', file: 'b', configuration_file: 'c' }] }],
] as const
for (const [root, check, smallest] of checks) {
  test(`the smallest ${root} is valid`, () => {
    assert.equal(check(bytesOf(smallest), { environment }).kind, 'checked')
  })
  test(`a ${root} that isn't an object, or JSON, is invalid`, () => {
    for (const [text, reason] of [
      ['[]', 'type:object'],
      ['{', 'json: line 1, column 2'],
      ['['.repeat(1e5), 'depth:'],
    ] as const) {
      const verdict = check(Buffer.from(text), { environment })
      assert.deepEqual(verdict.kind === 'invalid' && verdict.validationErrors, { [root]: reason })
    }
  })
  test(`unknown keys of a ${root} are named`, () => {
    const verdict = check(bytesOf({ ...smallest, $schema: 'x', stray: 1 }), { environment })
    assert.deepEqual(verdict.kind === 'checked' && verdict.unknownKeys, [`${root}.stray`])
  })
  test(`the digest of a ${root} covers its JSON, and the fingerprint also the referenced values`, () => {
    const file = bytesOf({ ...smallest, log_level: 'WARN', extra: '${KEY}' })
    const [one, same, other] = [
      check(file, { environment }),
      check(gzipSync(file), { environment }),
      check(file, { environment: { ...environment, KEY: 'other' } }),
    ]
    assert.deepEqual(same, one)
    assert.equal(other.digest, one.digest)
    assert.notEqual(other.kind === 'checked' && other.fingerprint, one.kind === 'checked' && one.fingerprint)
  })
}

test('references to secrets are expanded once', () => {
  assert.equal(config(sink({})).service_bus.token, 'a"b\\')
  assert.equal(config(checkGuiConfig(bytesOf({}), { environment })).secret, '${NATS_TOKEN}')
})

test('the flat tls of a sink means the same as tls.outbound', () => {
  const flat = sink({ tls: { insecure: true, system_cert_pool: false, cert_files: ['ca.pem'] } })
  const nested = sink({ tls: { outbound: { insecure: true, system_cert_pool: false, cert_files: ['ca.pem'] } } })
  assert.deepEqual(config(flat).tls.outbound, config(nested).tls.outbound)
  assert.deepEqual(flat.kind === 'checked' && flat.unknownKeys, [])
  assert.equal(config(sink({ tls: { insecure: true, outbound: { insecure: false } } })).tls.outbound.insecure, false)
})

const accepted: readonly (readonly [string, object])[] = [
  ['no mode', {}],
  ['a mode without its section', { mode: 'rest_api_writer' }],
  ['a section without an address', { mode: 'rest_api_writer', rest_api_writer: {} }],
  ['a section of empty values', { mode: 'elastic_writer', elastic_writer: { url: '', port: '', index: '' } }],
  ['a database without a host', postgres({ host: '' })],
  [
    'an empty section that the mode does not name',
    { mode: 'file_writer', elastic_writer: { url: '', port: '', index: '' } },
  ],
  ['an index named by a date', elastic({ index: 'llm-gateway-2026.11.21' })],
  ['the settings of Azure’s present API', azure({})],
  ['an identity that needs no secret', azure({ identity: 'managed', tenant_id: '', client_id: '', client_secret: '' })],
  ['a server of PostgreSQL', postgres({ table: 'logs.calls' })],
  ['an S3 bucket', s3({})],
  ['a collector', { mode: 'otlp_writer', otlp_writer: { url: 'http://h:4318' } }],
  ['a port as text', { mode: 'elastic_writer', elastic_writer: { url: 'https://h', port: '9200', index: 'i' } }],
  [
    'a filled section of Azure’s former API',
    {
      mode: 'azure_log_analytics_writer',
      azure_log_analytics_writer: { workspace_id: 'w', shared_key: '${KEY}', log_type: 't' },
    },
  ],
]
for (const [what, file] of accepted) {
  test(`a sink with ${what} can start`, () => assert.equal(sink(file).kind, 'checked'))
}

const refused: readonly (readonly [object, string, string])[] = [
  [
    { mode: 'syslog' },
    'mode',
    'oneof:file_writer rest_api_writer elastic_writer azure_log_analytics_writer azure_logs_ingestion_writer postgres_writer otlp_writer s3_writer',
  ],
  [{ retries: -1 }, 'retries', 'min:0'],
  [{ file_writer: { write_mode: 'truncate' } }, 'file_writer.write_mode', 'oneof:append overwrite new'],
  [{ file_writer: { filename: '${UNSET}' } }, 'file_writer.filename', 'required:'],
  [{ mode: 'rest_api_writer', rest_api_writer: { url: 'ftp://h' } }, 'rest_api_writer.url', 'http_url:'],
  [{ mode: 'elastic_writer', elastic_writer: { url: 'http://h' } }, 'elastic_writer.index', 'required:'],
  ...['Calls', 'a b', '_calls', '-c', '..', 'a/b', 'a,b', 'c*', 'x'.repeat(256)].map(
    (index) => [elastic({ index }), 'elastic_writer.index', 'index:'] as const,
  ),
  [elastic({ url: 'logs:9200' }), 'elastic_writer.url', 'http_url:'],
  [elastic({ api_key: 'a\nb' }), 'elastic_writer.api_key', 'ascii:'],
  [azure({ client_secret: '${UNSET}' }), 'azure_logs_ingestion_writer.client_secret', 'required:'],
  [azure({ client_id: 'a&b' }), 'azure_logs_ingestion_writer.client_id', 'client_id:'],
  [azure({ identity: 'managed', client_id: 'a&b' }), 'azure_logs_ingestion_writer.client_id', 'client_id:'],
  [azure({ rule_id: 'evil.example/' }), 'azure_logs_ingestion_writer.rule_id', 'rule_id:'],
  [azure({ url: 'ftp://h' }), 'azure_logs_ingestion_writer.url', 'http_url:'],
  [postgres({ table: 'a; drop' }), 'postgres_writer.table', 'table:'],
  [postgres({ database: '' }), 'postgres_writer.database', 'required:'],
  [s3({ bucket: '../x' }), 's3_writer.bucket', 'bucket:'],
  [s3({ prefix: 'a b?' }), 's3_writer.prefix', 'prefix:'],
  [s3({ secret_access_key: '${UNSET}' }), 's3_writer.secret_access_key', 'required:'],
  [{ start: '1w' }, 'start', 'start:'],
  [{ batch: { records: 0 } }, 'batch.records', 'min:1'],
  [{ service_bus: { hostname: 'u:p@h' } }, 'service_bus.hostname', 'address:'],
]
for (const [file, path, reason] of refused) {
  test(`the sink ${JSON.stringify(file)} is ${reason}`, () => {
    const verdict = sink(file)
    assert.deepEqual(verdict.kind === 'invalid' && verdict.validationErrors, { [`sink_config.${path}`]: reason })
  })
}

function elastic(settings: object): object {
  return { mode: 'elastic_writer', elastic_writer: { url: 'http://h', index: 'i', ...settings } }
}

function azure(settings: object): object {
  const names = { rule_id: 'dcr-1', stream: 'Custom-Calls_CL', tenant_id: 't', client_id: 'c', client_secret: 's' }
  return {
    mode: 'azure_logs_ingestion_writer',
    azure_logs_ingestion_writer: { url: 'http://h', ...names, ...settings },
  }
}

function postgres(settings: object): object {
  const names = { host: 'h', database: 'd', user: 'u' }
  return { mode: 'postgres_writer', postgres_writer: { ...names, ...settings } }
}

function s3(settings: object): object {
  const names = { url: 'http://h', bucket: 'calls', access_key_id: 'k', secret_access_key: 's' }
  return { mode: 's3_writer', s3_writer: { ...names, ...settings } }
}

test('the token counter caps /service/capped/ by default, for 120 s', () => {
  const { cap_period_seconds, token_caps } = config(checkTokenCounterConfig(bytesOf({}), { environment }))
  assert.equal(cap_period_seconds, 120)
  assert.deepEqual(
    token_caps.map(({ router, fields }) => [router, fields.map(({ value }) => value)]),
    [['/service/capped/', [500, 500, 100]]],
  )
})

test('a supervisor without services, or a service without its file, is refused', () => {
  const errors = (file: unknown) => {
    const verdict = checkGinitConfig(bytesOf(file), { environment })
    return verdict.kind === 'invalid' && verdict.validationErrors
  }
  assert.deepEqual(errors({}), { 'ginit_config.services': 'required:' })
  assert.deepEqual(errors({ services: [] }), { 'ginit_config.services': 'min:1' })
  assert.deepEqual(errors({ services: [{ name: 'a', file: 'b' }] }), {
    'ginit_config.services[0].configuration_file': 'required:',
  })
})

test('a gui_config.json may name an LLMGateway, and invalid names are refused', () => {
  const named = { namespace: 'llm', gateway: 'main' }
  assert.equal(config(checkGuiConfig(bytesOf({}), { environment })).kubernetes, undefined)
  assert.deepEqual(config(checkGuiConfig(bytesOf({ kubernetes: named }), { environment })).kubernetes, {
    ...named,
    mode: 'ReadOnly',
    namespaces: [],
    read_role: 'ClusterRole/llm-gateway-web-read',
  })
  for (const [kubernetes, field, reason] of [
    [{ gateway: 'main' }, 'kubernetes.namespace', 'required:'],
    [{ ...named, gateway: '../main' }, 'kubernetes.gateway', 'dns_label:'],
    [{ ...named, mode: 'edit' }, 'kubernetes.mode', 'oneof:ReadOnly Edit'],
    [{ ...named, namespaces: ['a/b'] }, 'kubernetes.namespaces[0]', 'dns_label:'],
    [{ ...named, read_role: 'ClusterRole/a; rm' }, 'kubernetes.read_role', 'role:'],
  ] as const) {
    const verdict = checkGuiConfig(bytesOf({ kubernetes }), { environment })
    assert.deepEqual(verdict.kind === 'invalid' && verdict.validationErrors, { [`gui_config.${field}`]: reason })
  }
})
