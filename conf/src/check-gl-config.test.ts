import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type CheckedGlConfig, checkGlConfig, type GlConfigCheck, parseGlConfig } from './check-gl-config.ts'
import type { References } from './env-reference.ts'

// Rules: docs/reference/configuration-rules.md#references, docs/reference/configuration-rules.md#rejection,
// docs/reference/configuration-rules.md#default-routers, docs/reference/gl-config.md

const nothing: References = { environment: {} }
const bytesOf = (file: unknown) => Buffer.from(JSON.stringify(file))
const check = (file: unknown, references = nothing) => checkGlConfig(bytesOf(file), references)

function checked(verdict: GlConfigCheck): CheckedGlConfig {
  assert.equal(verdict.kind, 'checked', JSON.stringify(verdict))
  assert.ok(verdict.kind === 'checked')
  return verdict.config
}

function errors(verdict: GlConfigCheck): Readonly<Record<string, string>> {
  assert.ok(verdict.kind === 'invalid', verdict.kind)
  return verdict.validationErrors
}

const url = 'https://res.example/'
const router = (path: string, extra = {}) => ({ path, outbound: { url }, ...extra })

const broken: readonly (readonly [string, Uint8Array, Readonly<Record<string, string>>])[] = [
  ['nothing', Buffer.from(''), { gl_config: 'json: line 1, column 1' }],
  ['half a file', Buffer.from('{"routers":['), { gl_config: 'json: line 1, column 13' }],
  ['half a gzipped file', gzipSync('{\n"routers":['), { gl_config: 'json: line 2, column 12' }],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), { gl_config: 'json:' }],
  ['an array', Buffer.from('[]'), { gl_config: 'type:object' }],
  ['null', Buffer.from('null'), { gl_config: 'type:object' }],
  ['broken gzip', Buffer.from([0x1f, 0x8b, 0, 0]), { gl_config: 'gzip:' }],
  ['half a gzip', gzipSync('{"routers":[]}').subarray(0, 20), { gl_config: 'gzip:' }],
  ['a gzip bomb', gzipSync(Buffer.alloc(64 * 1024 * 1024 + 1, ' ')), { gl_config: 'gzip:' }],
  ['a million brackets', Buffer.from('['.repeat(1e6) + ']'.repeat(1e6)), { gl_config: 'depth:' }],
  ['more than 64 MiB', Buffer.alloc(64 * 1024 * 1024 + 1, ' '), { gl_config: 'size:' }],
  ['routers that are not an array', bytesOf({ routers: {} }), { 'gl_config.routers': 'type:array' }],
]
for (const [what, bytes, reasons] of broken) {
  test(`${what} is invalid`, () => assert.deepEqual(errors(checkGlConfig(bytes, nothing)), reasons))
}

test('brackets inside strings don’t count as nesting, and escaped quotes don’t end a string', () => {
  checked(check({ gateway_id: 'GATEWAY1', routers: [], comment: `\\"${'['.repeat(100)}"\\` }))
})

test('a gzip file is recognized by its first two bytes, and its digest is that of the JSON', () => {
  const json = bytesOf({ routers: [] })
  const [plain, packed] = [checkGlConfig(json, nothing), checkGlConfig(gzipSync(json), nothing)]
  assert.deepEqual(packed, plain)
  assert.equal(plain.digest, `sha256:${createHash('sha256').update(json).digest('hex')}`)
  assert.equal(fingerprintOf(gzipSync(json), nothing), fingerprintOf(json, nothing))
})

test('an empty object has every default, the default routers and the token counter rows', () => {
  const { settings, routers, rejectedFields } = checked(check({}, { environment: { NATS_TOKEN: 'token' } }))
  assert.equal(settings.gl_port, 5380)
  assert.equal(settings.limits.drain_delay_ms, 0)
  assert.deepEqual(
    settings.request.processors.flat().map(({ name, async }) => [name, async]),
    [['token_counter', false]],
  )
  assert.deepEqual(
    settings.response.processors.flat().map(({ name, async }) => [name, async]),
    [['token_counter', true]],
  )
  assert.deepEqual(
    routers.map(({ path }) => path),
    ['/echo/', '/service/standard/', '/service/capped/', '/restricted/'],
  )
  assert.equal(rejectedFields['gl_config.Routers[1].Router.Outbound.Url'], 'required:')
})

test('the default of service_bus.token is expanded once, like a written token', () => {
  const NATS_TOKEN = 'a"b\\${GUI_SECRET}'
  const references = { environment: { NATS_TOKEN, GUI_SECRET: 'gui' } }
  for (const file of [{}, { service_bus: {} }, { service_bus: { token: '$NATS_TOKEN' } }]) {
    assert.equal(checked(check(file, references)).settings.service_bus.token, NATS_TOKEN)
  }
  assert.equal(checked(check({ service_bus: { token: '' } }, references)).settings.service_bus.token, '')
  assert.equal(checked(check({}, nothing)).settings.service_bus.token, '')
})

test('an empty request keeps its default rows, an empty list of rows has none', () => {
  assert.equal(checked(check({ request: {} })).settings.request.processors.length, 1)
  assert.equal(checked(check({ request: { processors: [] } })).settings.request.processors.length, 0)
})

test('/echo/ is added after the file’s own routers when no router has that path', () => {
  const { routers } = checked(check({ routers: [router('/a/')] }))
  assert.deepEqual(
    routers.map(({ path, kind, index }) => [path, kind, index]),
    [
      ['/a/', 'active', 0],
      ['/echo/', 'active', 1],
    ],
  )
})

test('a file’s own /echo/ replaces the default /echo/, even when it is disabled or rejected', () => {
  for (const [entry, kind] of [
    [router('/echo/', { ingress: { headers: { 'Api-Key': ['x'] } } }), 'active'],
    [{ path: '/echo/', disabled: true }, 'disabled'],
    [{ path: '/echo/' }, 'rejected'],
  ] as const) {
    assert.deepEqual(
      checked(check({ routers: [entry] })).routers.map((echo) => [echo.path, echo.kind]),
      [['/echo/', kind]],
    )
  }
})

test('of two routers with one path the first is kept, even when it is rejected or disabled', () => {
  for (const [first, kind] of [
    [router('/a/'), 'active'],
    [{ path: '/a/', disabled: true }, 'disabled'],
    [{ path: '/a/' }, 'rejected'],
  ] as const) {
    const { routers, rejectedFields } = checked(check({ routers: [first, router('/a/'), router('/b/')] }))
    assert.deepEqual(
      routers.map(({ path, index }) => [path, index]),
      [
        ['/a/', 0],
        ['/b/', 2],
        ['/echo/', 3],
      ],
    )
    assert.equal(routers[0]?.kind, kind)
    assert.equal(rejectedFields['gl_config.Routers[1].Router.Path'], 'unique:Path')
  }
})

test('a bad router leaves the rest active, and each bad field is named by its index in the file', () => {
  const { routers, rejectedFields } = checked(check({ routers: [router('bad'), { path: '/a/' }, router('/b/')] }))
  assert.deepEqual(
    routers.map(({ path, kind }) => [path, kind]),
    [
      ['/a/', 'rejected'],
      ['/b/', 'active'],
      ['/echo/', 'active'],
    ],
  )
  assert.deepEqual(rejectedFields, {
    'gl_config.Routers[0].Router.Path': 'router:',
    'gl_config.Routers[1].Router.Outbound.Url': 'required:',
  })
})

test('unknown keys are kept out and named, at every level; $schema is for editors', () => {
  const { unknownKeys } = checked(
    check({
      $schema: './gl_config.schema.json',
      stray: 1,
      limits: { stray: 1 },
      tls: { ingress: { stray: 1, $schema: 'x' } },
      request: { processors: [[{ name: 'a', service_bus_topic: 'b', timeout: 1, stray: 1 }]] },
      routers: [router('/a/', { stray: 1 })],
    }),
  )
  assert.deepEqual([...unknownKeys].sort(), [
    'gl_config.limits.stray',
    'gl_config.request.processors[0][0].stray',
    'gl_config.routers[0].stray',
    'gl_config.stray',
    'gl_config.tls.ingress.$schema',
    'gl_config.tls.ingress.stray',
  ])
})

test('at most 100 unknown keys and 50 errors are reported', () => {
  const many = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]))
  assert.equal(checked(check(many(1000, 1))).unknownKeys.length, 100)
  const routers = Array.from({ length: 1000 }, (_, i) => router(`/${i}/`, { stray: 1 }))
  assert.equal(checked(check({ routers })).unknownKeys.length, 100)
  assert.equal(Object.keys(errors(check({ outbound_deny: Array.from({ length: 1000 }, () => 'x') }))).length, 50)
})

test('processors that refer to NATS_TOKEN or GUI_SECRET are refused, set or not', () => {
  const row = { name: 'a', service_bus_topic: 'x.${GUI_SECRET}', timeout: 1, routers: ['$NATS_TOKEN'] }
  assert.deepEqual(errors(check({ response: { processors: [[row]] } })), {
    'gl_config.response.processors[0][0].service_bus_topic': 'reserved:',
    'gl_config.response.processors[0][0].routers[0]': 'reserved:',
  })
})

test('of the places in processors that refer to NATS_TOKEN or GUI_SECRET, the first 50 are reported', () => {
  const stray = Array.from({ length: 1000 }, () => '$NATS_TOKEN')
  const reported = Object.keys(errors(check({ request: { processors: [], stray } })))
  const first = Array.from({ length: 50 }, (_, i) => `gl_config.request.stray[${i}]`)
  assert.deepEqual(reported, first)
})

test('long names in reported paths are cut', () => {
  const long = 'x'.repeat(1_000_000)
  const cut = (prefix: string) => `${prefix}${long}`.slice(0, 199).concat('…')
  assert.deepEqual(checked(check({ [long]: 1, limits: { [long]: 1 } })).unknownKeys, [
    cut('gl_config.'),
    cut('gl_config.limits.'),
  ])
  const processors = [[{ name: 'a', service_bus_topic: 'b', timeout: 1, [long]: ['$NATS_TOKEN'] }]]
  assert.deepEqual(Object.keys(errors(check({ request: { processors } }))), [
    cut('gl_config.request.processors[0][0].'),
  ])
})

test('no rejection reason contains a configured value', () => {
  const SECRET = 'planted-value'
  const file = {
    gl_port: '${SECRET}',
    log_level: '${SECRET}',
    gateway_id: '${SECRET}',
    outbound_deny: ['${SECRET}'],
    service_bus: { hostname: 'u:${SECRET}@h' },
    tls: '${SECRET}',
    routers: [{ path: '/${SECRET}' }, { path: '/a/', outbound: { url: '${SECRET}' } }],
  }
  const verdict = check(file, { environment: { SECRET } })
  assert.equal(Object.keys(errors(verdict)).length, 6)
  assert.equal(JSON.stringify(verdict).includes(SECRET), false)
  const { rejectedFields } = checked(check({ routers: file.routers }, { environment: { SECRET } }))
  assert.equal(JSON.stringify(rejectedFields).includes(SECRET), false)
})

function fingerprintOf(...file: Parameters<typeof parseGlConfig>): string {
  return parseGlConfig(...file).fingerprint
}

const header = (index: number): readonly [string, readonly string[]] => [`H${index}`, ['x']]
const headers = Object.fromEntries(Array.from({ length: 400 }, (_, index) => header(index)))
const large: readonly (readonly [what: string, fits: number, exceeds: number, entry: object])[] = [
  ['with 60,000 characters of texts', 500, 560, { outbound: { url, headers: { A: ['x'.repeat(60_000)] } } }],
  ['with 60,000 characters of values', 500, 560, { outbound: { url, headers: { A: ['$LONG'] } } }],
  ['with 400 headers', 380, 440, { outbound: { url, headers } }],
  ['with nothing but an address', 60_000, 65_000, { outbound: { url } }],
  ['that are switched off', 62_000, 66_000, { disabled: true }],
]
for (const [what, fits, exceeds, entry] of large) {
  test(`a file may have ${fits} routers ${what}, and not ${exceeds}`, () => {
    const references = { environment: { LONG: 'x'.repeat(60_000) } }
    const file = (count: number) => ({
      routers: Array.from({ length: count }, (_, at) => ({ path: `/${at}/`, ...entry })),
    })
    assert.equal(checked(check(file(fits), references)).rejectedRouters.length, 0)
    assert.deepEqual(errors(check(file(exceeds), references)), { 'gl_config.routers': 'size:' })
  })
}

const outboundOf = (characters: number) => ({ url: 'a b', headers: { A: ['x'.repeat(characters)] } })
const rejectedOnes: readonly (readonly [what: string, count: number, entry: object])[] = [
  ['one rejected router with a text larger than all routers may be', 1, { outbound: outboundOf(33 * 1024 * 1024) }],
  ['600 rejected routers with 60,000 characters', 600, { outbound: outboundOf(60_000) }],
  ['600 rejected routers with a large value', 600, { outbound: { url: 'a b', headers: { A: ['$LONG'] } } }],
]
for (const [what, count, entry] of rejectedOnes) {
  test(`${what} cost the file no other router`, () => {
    const rejected = Array.from({ length: count }, (_, at) => ({ path: `/${at}/`, ...entry }))
    const references = { environment: { LONG: 'x'.repeat(60_000) } }
    const config = checked(check({ routers: [...rejected, { path: '/good/', outbound: { url } }] }, references))
    assert.equal(config.rejectedRouters.length, count)
    assert.equal(config.routers.find(({ path }) => path === '/good/')?.kind, 'active')
  })
}
