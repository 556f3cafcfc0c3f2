import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGlConfig } from './check-gl-config.ts'

// Rules: docs/reference/configuration-rules.md#references, docs/reference/gl-config.md

const environment = {
  PORT: '8080',
  YES: 'true',
  WORD: 'word',
  FLOAT: '1.5',
  HUGE: '99999999999999999999',
  ID: 'ABCDEFGH',
}

function verdictOn(file: unknown) {
  return checkGlConfig(Buffer.from(JSON.stringify(file)), { environment })
}

const row = (entry: object) => ({
  request: { processors: [[{ name: 'a', service_bus_topic: 'b', timeout: 1, ...entry }]] },
})
const entryPath = 'gl_config.request.processors[0][0]'

const refused: readonly (readonly [object, string, string])[] = [
  [{ version: '1' }, 'gl_config.version', 'semver:'],
  [{ gateway_id: 'GATEWAY' }, 'gl_config.gateway_id', 'gateway_id:'],
  [{ gateway_id: 'gateway1' }, 'gl_config.gateway_id', 'gateway_id:'],
  [{ gateway_id: 'GATEWAY1\n' }, 'gl_config.gateway_id', 'gateway_id:'],
  [{ gateway_id: 1 }, 'gl_config.gateway_id', 'type:string'],
  [{ log_level: 'info' }, 'gl_config.log_level', 'oneof:DEBUG INFO WARN ERROR'],
  [{ gl_port: 65_536 }, 'gl_config.gl_port', 'max:65535'],
  [{ gl_port: -1 }, 'gl_config.gl_port', 'min:0'],
  [{ gl_port: 1.5 }, 'gl_config.gl_port', 'type:number'],
  [{ gl_port: null }, 'gl_config.gl_port', 'type:number'],
  [{ gl_port: '${UNSET}' }, 'gl_config.gl_port', 'required:'],
  [{ gl_port: '${WORD}' }, 'gl_config.gl_port', 'type:number'],
  [{ gl_port: '${FLOAT}' }, 'gl_config.gl_port', 'type:number'],
  [{ gl_port: '${HUGE}' }, 'gl_config.gl_port', 'type:number'],
  [{ admin_host: '' }, 'gl_config.admin_host', 'required:'],
  [{ session_id_header: 'Session Id' }, 'gl_config.session_id_header', 'header:'],
  ...['Trailer', 'content-length', 'Content-Type', 'TE', 'Host', 'date', 'SET-COOKIE', 'Proxy-Authorization'].map(
    (name) => [{ session_id_header: name }, 'gl_config.session_id_header', 'reserved_header:'] as const,
  ),
  [{ masked_headers: ['Api-Key', 'api-key'] }, 'gl_config.masked_headers', 'unique:'],
  [{ remove_headers: ['a:b'] }, 'gl_config.remove_headers[0]', 'header:'],
  [{ log_unauthorized: 'yes' }, 'gl_config.log_unauthorized', 'type:boolean'],
  [{ log_unauthorized: '${UNSET}' }, 'gl_config.log_unauthorized', 'required:'],
  [{ tls: { outbound: { cert_files: 'x' } } }, 'gl_config.tls.outbound.cert_files', 'type:array'],
  [{ service_bus: { hostname: 'nats://u:p@h' } }, 'gl_config.service_bus.hostname', 'address:'],
  [{ service_bus: { hostname: 'u@h:1' } }, 'gl_config.service_bus.hostname', 'address:'],
  ...['', 'nats.prod:70000', 'nats.prod:0', '-nats:4222', '[1.2.3]:4222'].map(
    (hostname) => [{ service_bus: { hostname } }, 'gl_config.service_bus.hostname', 'address:'] as const,
  ),
  [{ service_bus: { topic_exact_logger: 'llm.>' } }, 'gl_config.service_bus.topic_exact_logger', 'subject:'],
  [{ outbound_deny: ['10.0.0.0/33'] }, 'gl_config.outbound_deny[0]', 'cidr:'],
  [{ outbound_deny: ['::/0', 'fe80::1%eth0'] }, 'gl_config.outbound_deny[1]', 'cidr:'],
  [{ outbound_deny: ['10.0.0.0/'] }, 'gl_config.outbound_deny[0]', 'cidr:'],
  [{ outbound_deny: ['10.0.0.0/08'] }, 'gl_config.outbound_deny[0]', 'cidr:'],
  [{ outbound_deny: ['localhost'] }, 'gl_config.outbound_deny[0]', 'cidr:'],
  [{ limits: { request_bytes: 0 } }, 'gl_config.limits.request_bytes', 'min:1'],
  [{ limits: { drain_ms: 2 ** 31 } }, 'gl_config.limits.drain_ms', 'max:2147483647'],
  [{ limits: [] }, 'gl_config.limits', 'type:object'],
  [{ request: { processors: [{}] } }, 'gl_config.request.processors[0]', 'type:array'],
  [{ logger: { request: { fields_include: [1] } } }, 'gl_config.logger.request.fields_include[0]', 'type:string'],
  [row({ name: 'token-counter' }), `${entryPath}.name`, 'name:'],
  [row({ name: undefined }), `${entryPath}.name`, 'required:'],
  [row({ service_bus_topic: 'a b' }), `${entryPath}.service_bus_topic`, 'subject:'],
  [row({ service_bus_topic: 'a'.repeat(1_001) }), `${entryPath}.service_bus_topic`, 'subject:'],
  [{ service_bus: { topic_exact_logger: 'a.'.repeat(501) } }, 'gl_config.service_bus.topic_exact_logger', 'subject:'],
  [row({ timeout: 2 ** 31 }), `${entryPath}.timeout`, 'max:2147483647'],
  [row({ timeout: undefined }), `${entryPath}.timeout`, 'required:'],
  [row({ routers: '/a/' }), `${entryPath}.routers`, 'type:array'],
]
for (const [file, path, reason] of refused) {
  test(`${JSON.stringify(file)} is ${reason}`, () => {
    const verdict = verdictOn(file)
    assert.deepEqual(verdict.kind === 'invalid' && verdict.validationErrors, { [path]: reason })
  })
}

test('numbers and booleans may be a string that is one reference', () => {
  const verdict = verdictOn({
    gl_port: '${PORT}',
    admin_port: '$PORT',
    log_unauthorized: '${YES}',
    gateway_id: '${ID}',
    limits: { drain_delay_ms: '${PORT}' },
  })
  assert.ok(verdict.kind === 'checked')
  const { gl_port, admin_port, log_unauthorized, gateway_id, limits } = verdict.config.settings
  assert.deepEqual([gl_port, admin_port, log_unauthorized, gateway_id], [8080, 8080, true, 'ABCDEFGH'])
  assert.equal(limits.drain_delay_ms, 8080)
})

test('outbound_deny takes addresses and CIDRs of both families', () => {
  const outbound_deny = ['10.0.0.0/8', '169.254.169.254', '::1/128', 'fd00::/8', '0.0.0.0/0', '::ffff:10.0.0.1']
  const verdict = verdictOn({ outbound_deny })
  assert.deepEqual(verdict.kind === 'checked' && verdict.config.settings.outbound_deny, outbound_deny)
})

const lists: readonly (readonly [path: string, most: number, of: (length: number) => object])[] = [
  ['outbound_deny', 1_000, (length) => ({ outbound_deny: Array(length).fill('10.0.0.0/8') })],
  ['tls.outbound.cert_files', 64, (length) => ({ tls: { outbound: { cert_files: Array(length).fill('ca.pem') } } })],
]
for (const [path, most, of] of lists) {
  test(`${path} has at most ${most} elements`, () => {
    assert.equal(verdictOn(of(most)).kind, 'checked')
    const verdict = verdictOn(of(most + 1))
    assert.deepEqual(verdict.kind === 'invalid' && verdict.validationErrors, { [`gl_config.${path}`]: `max:${most}` })
  })
}

for (const name of ['X-Session', 'Contents', 'X-Date', 'Trailers', 'Te-X']) {
  test(`${name} may carry the session id`, () => {
    assert.equal(verdictOn({ session_id_header: name }).kind, 'checked')
  })
}

for (const hostname of ['localhost', 'bus.llm.svc:4222', '10.0.0.1:4222', '[::1]:4222', '[::1]']) {
  test(`${hostname} is a valid bus address`, () => {
    assert.equal(verdictOn({ service_bus: { hostname } }).kind, 'checked')
  })
}
