import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { checkRouter } from './check-router.ts'

// Rules: docs/reference/configuration-rules.md#routers-in-the-file, docs/reference/configuration-rules.md#rejection,
// docs/reference/configuration-rules.md#status, docs/reference/record.md#masks

const environment = {
  BASE: 'https://res.example/',
  KEY: 'k"\\',
  EMPTY: '',
  NEWLINE: 'a\nb',
  UMLAUT: 'schlüssel',
  NATS_TOKEN: 'token',
  GUI_SECRET: 'secret',
  SIG: 's',
  QUERY: 'https://res.example/?sig=s&v=1',
  DOTS: '../x',
  FTP: 'ftp://res.example/',
  PATH_PART: 'team',
  TRUE: 'true',
}
const url = 'https://res.example/'
const check = (entry: unknown) => checkRouter(entry, 7, { environment })
/** Returns the rejected fields: `outbound.headers.Api-Key.0` → reason. */
const rejected = (entry: unknown) =>
  Object.fromEntries(check(entry).rejected.map(({ path, reason }) => [path.join('.'), reason]))
const outbound = (value: string) => ({ path: '/a/', outbound: { url: value } })
const endpoint = (value: string) => ({ path: '/a/', outbound: { url, endpoint: value } })
const header = (value: unknown) => ({ path: '/a/', ingress: { headers: { 'Api-Key': value } }, outbound: { url } })
const outHeaders = (headers: unknown) => ({ path: '/a/', outbound: { url, headers } })

const rejections: readonly (readonly [string, unknown, Readonly<Record<string, string>>])[] = [
  ['an unset url', outbound('${UNSET}'), { 'outbound.url': 'required:' }],
  ['an empty url', outbound(''), { 'outbound.url': 'required:' }],
  ['no outbound', { path: '/a/' }, { 'outbound.url': 'required:' }],
  ['a url beside an unset reference', outbound('https://h/${UNSET}'), { 'outbound.url': 'required:' }],
  ['a url beside an empty reference', outbound('https://h/${EMPTY}'), { 'outbound.url': 'required:' }],
  ['a url of another scheme', outbound('${FTP}'), { 'outbound.url': 'http_url:' }],
  ['a url without a host', outbound('https:///x'), { 'outbound.url': 'http_url:' }],
  ['a relative url', outbound('res.example'), { 'outbound.url': 'http_url:' }],
  ['a url with a fragment', outbound('https://h/#x'), { 'outbound.url': 'http_url:' }],
  ['a url with a space', outbound('https://h/a b'), { 'outbound.url': 'http_url:' }],
  ['a url with a line end', outbound('https://h/\r\n'), { 'outbound.url': 'http_url:' }],
  ['a url with a port beyond 65535', outbound('https://h:70000/'), { 'outbound.url': 'http_url:' }],
  ['a url that needs NATS_TOKEN', outbound('https://h/${NATS_TOKEN}'), { 'outbound.url': 'reserved:' }],
  ['a reserved beside an unset reference', outbound('${UNSET}${GUI_SECRET}'), { 'outbound.url': 'reserved:' }],
  ['an endpoint that goes up', endpoint('a/../b'), { 'outbound.endpoint': 'endpoint:' }],
  ['an endpoint that goes up by a reference', endpoint('a/${DOTS}'), { 'outbound.endpoint': 'endpoint:' }],
  ['an endpoint that goes up encoded', endpoint('a/%2e%2E/b'), { 'outbound.endpoint': 'endpoint:' }],
  ['an endpoint with a dot segment behind %5c', endpoint('a/%5c../b'), { 'outbound.endpoint': 'endpoint:' }],
  ['an endpoint with NUL', endpoint('a\0'), { 'outbound.endpoint': 'endpoint:' }],
  ['an endpoint with an encoded line end', endpoint('a%0d%0a'), { 'outbound.endpoint': 'endpoint:' }],
  ['an endpoint with a line end', endpoint('${NEWLINE}'), { 'outbound.endpoint': 'endpoint:' }],
  ['an endpoint with a fragment', endpoint('a#b'), { 'outbound.endpoint': 'endpoint:' }],
  ['an endpoint with a broken escape', endpoint('a%2'), { 'outbound.endpoint': 'endpoint:' }],
  ['an endpoint with an unset reference', endpoint('a?v=${UNSET}'), { 'outbound.endpoint': 'required:' }],
  ['an unset header', header(['${UNSET}']), { 'ingress.headers.Api-Key.0': 'required:' }],
  ['text beside an unset reference', header(['x', 'Bearer ${UNSET}']), { 'ingress.headers.Api-Key.1': 'required:' }],
  ['text beside an empty reference', header(['Bearer $${x} ${EMPTY}']), { 'ingress.headers.Api-Key.0': 'required:' }],
  ['an empty header value', header(['']), { 'ingress.headers.Api-Key.0': 'required:' }],
  ['a header without values', header([]), { 'ingress.headers.Api-Key': 'required:' }],
  ['a value with a line end', header(['${NEWLINE}']), { 'ingress.headers.Api-Key.0': 'ascii:' }],
  ['a value that is not ASCII', header(['${UMLAUT}']), { 'ingress.headers.Api-Key.0': 'ascii:' }],
  ['a tab', outHeaders({ A: ['a\tb'] }), { 'outbound.headers.A.0': 'ascii:' }],
  ['a reserved header value', outHeaders({ A: ['$NATS_TOKEN'] }), { 'outbound.headers.A.0': 'reserved:' }],
  ['an invalid header name', outHeaders({ 'A B': ['x'] }), { 'outbound.headers.A B': 'router:' }],
  ['one name twice', outHeaders({ Key: ['x'], KEY: ['y'] }), { 'outbound.headers.KEY': 'router:' }],
  ['a framing header', outHeaders({ 'content-length': ['1'] }), { 'outbound.headers.content-length': 'router:' }],
  ['a Trailer header', outHeaders({ Trailer: ['x'] }), { 'outbound.headers.Trailer': 'router:' }],
  ['a hop-by-hop header', outHeaders({ TE: ['trailers'] }), { 'outbound.headers.TE': 'router:' }],
  ['two Host values', outHeaders({ host: ['a', 'b'] }), { 'outbound.headers.host': 'router:' }],
  ['an invalid Host value', outHeaders({ Host: ['a b'] }), { 'outbound.headers.Host.0': 'router:' }],
  ['a header value that is not a list', outHeaders({ A: 'x' }), { 'outbound.headers': 'router:' }],
  ['an ingress that is not an object', { ...outbound(url), ingress: [] }, { ingress: 'router:' }],
  ['a url that is not a string', { path: '/a/', outbound: { url: 1 } }, { 'outbound.url': 'router:' }],
  ['a disabled field that is not a boolean', { ...outbound(url), disabled: 'yes' }, { disabled: 'router:' }],
  ['an internal field with an unset reference', { ...outbound(url), internal: '${UNSET}' }, { internal: 'required:' }],
  ['a url of more than 8 KiB', outbound(`http://h/${'x'.repeat(8_192)}`), { 'outbound.url': 'router:' }],
  ['an endpoint of more than 8 KiB', endpoint('x'.repeat(8_193)), { 'outbound.endpoint': 'router:' }],
  ['a url of 257 query parameters', outbound(`http://h/?${'a&'.repeat(256)}b`), { 'outbound.url': 'router:' }],
  [
    '257 query parameters of url and endpoint',
    { path: '/a/', outbound: { url: `http://h/?${'a&'.repeat(199)}a`, endpoint: `?${'b&'.repeat(56)}b` } },
    { 'outbound.endpoint': 'router:' },
  ],
  [
    'header values of 64 KiB',
    outHeaders({ A: ['x'.repeat(40_000), 'y'.repeat(30_000)] }),
    { 'outbound.headers.A.1': 'router:' },
  ],
  [
    'header names of 64 KiB',
    outHeaders({ [`${'x'.repeat(65_000)}`]: ['y'], B: ['z'.repeat(600)] }),
    { 'outbound.headers.B.0': 'router:' },
  ],
  [
    'a map of more than 1,000 names and values',
    outHeaders({ A: Array(1_000).fill('x') }),
    { 'outbound.headers': 'router:' },
  ],
  [
    'every bad field at once',
    {
      path: '/a/',
      ingress: { headers: { A: ['${UNSET}'] } },
      outbound: { url: '${UNSET}', headers: { B: ['${UNSET}'] } },
    },
    { 'outbound.url': 'required:', 'ingress.headers.A.0': 'required:', 'outbound.headers.B.0': 'required:' },
  ],
]
for (const [what, entry, reasons] of rejections) {
  test(`${what} rejects the router, and the router keeps its path`, () => {
    assert.deepEqual(rejected(entry), reasons)
    const { router } = check(entry)
    assert.deepEqual([router?.kind, router?.path, router?.index], ['rejected', '/a/', 7])
  })
}

const badPaths: readonly (readonly [unknown, string])[] = [
  [{}, 'required:'],
  [null, 'required:'],
  ['/a/', 'required:'],
  [{ path: '' }, 'required:'],
  [{ path: '${UNSET}' }, 'required:'],
  [{ path: '/${EMPTY}/' }, 'required:'],
  [{ path: '/${NATS_TOKEN}/' }, 'reserved:'],
  [{ path: 1 }, 'router:'],
  ...[
    'a',
    '/a',
    'a/',
    '//',
    '/a//b/',
    '/./',
    '/../',
    '/a/../b/',
    '/a/./',
    '/a b/',
    '/ä/',
    '/a%2f/',
    '/a?/',
    '/a/\n',
  ].map((path) => [{ path, outbound: { url } }, 'router:'] as const),
]
for (const [entry, reason] of badPaths) {
  test(`the path of ${JSON.stringify(entry)} is ${reason} and reserves no path`, () => {
    assert.deepEqual(rejected(entry), { path: reason })
    assert.equal(check(entry).router, undefined)
  })
}

for (const path of ['/', '/a/', '/A-b_c.d~9/', '/a/b/c/', '/.../', '/.a/', '/a../', '/${PATH_PART}/']) {
  test(`${path} is a router's path`, () => {
    const { router, rejected } = check({ path, outbound: { url } })
    assert.deepEqual([router?.kind, router?.path, rejected.length], ['active', path.replace('${PATH_PART}', 'team'), 0])
  })
}

for (const text of ['', 'a', '/a/b', 'a?api-version=1', '?v=..', 'a/b..c/...', 'a%20b', 'x?y=../z']) {
  test(`${JSON.stringify(text)} is an endpoint`, () => assert.deepEqual(rejected(endpoint(text)), {}))
}

for (const text of [
  'http://h',
  'https://h:8443/x?y=z',
  'https://u:p@h/',
  'HTTPS://h/',
  'http://[::1]:1/',
  '$BASE',
  '${QUERY}',
]) {
  test(`${text} is a url`, () => assert.deepEqual(rejected(outbound(text)), {}))
}

test('a router of the largest sizes is active', () => {
  const path = `/${'a/'.repeat(127)}${'b'.repeat(768)}/`
  const parameters = `?${'a&'.repeat(255)}a`
  const headers = { A: Array(999).fill('x'), B: ['y'.repeat(40_000)] }
  const entry = {
    path,
    ingress: { headers: { B: headers.B.map((value) => value.slice(0, 6_000)), A: headers.A.slice(0, 500) } },
    outbound: {
      url: `http://h/${'x'.repeat(8_183 - parameters.length)}${parameters}`,
      endpoint: 'y'.repeat(8_192),
      headers: { B: headers.B },
    },
  }
  const { router, rejected } = check(entry)
  assert.deepEqual([router?.kind, rejected], ['active', []])
})

for (const segments of [129, 10_000, 500_000]) {
  test(`a router with a path of ${segments} segments is rejected and keeps the first 128 of them`, () => {
    const entry = { ...outbound(url), path: `${'/a'.repeat(segments)}/` }
    assert.equal(rejected(entry).path, 'router:')
    const { router } = check(entry)
    assert.deepEqual([router?.kind, router?.path], ['rejected', `${'/a'.repeat(128)}/`])
  })
}

for (const [characters, kind] of [
  [1_024, 'active'],
  [1_025, 'rejected'],
  [60_000, 'rejected'],
] as const) {
  test(`a router with a path of ${characters} characters is ${kind} and keeps it`, () => {
    const path = `/a/${'b'.repeat(characters - 4)}/`
    const entry = { ...outbound(url), path }
    assert.deepEqual(rejected(entry), kind === 'active' ? {} : { path: 'router:' })
    assert.deepEqual([check(entry).router?.kind, check(entry).router?.path], [kind, path])
  })
}

test('an active router has expanded values, header names as written, and marked secrets', () => {
  const entry = {
    path: '/a/',
    internal: '${TRUE}',
    ingress: { headers: { 'api-key': ['${KEY}'], Accept: ['regex:.+'] } },
    outbound: { url: '${BASE}', endpoint: 'x?sig=${SIG}&v=1', headers: { 'Api-Key': ['Bearer ${KEY}', 'x'] } },
  }
  assert.deepEqual(check(entry).router, {
    kind: 'active',
    index: 7,
    path: '/a/',
    internal: true,
    ingressHeaders: [
      { name: 'api-key', values: ['k"\\'], secret: true },
      { name: 'Accept', values: ['regex:.+'], secret: false },
    ],
    outbound: {
      url: 'https://res.example/',
      endpoint: 'x?sig=s&v=1',
      headers: [{ name: 'Api-Key', values: ['Bearer k"\\', 'x'], secret: true }],
      filledParameters: [{ rawName: 'sig', isNameFilled: false }],
      shownUrlPath: undefined,
      shownEndpointPath: undefined,
    },
    entryHash: createHash('sha256').update(JSON.stringify(entry)).digest('hex'),
  })
})

const FILLED: readonly (readonly [url: string, parameters: Readonly<Record<string, boolean>>])[] = [
  ['${QUERY}', { sig: true, v: true }],
  ['http://h/?plain=1&sig=${KEY_PART}', { sig: false }],
  ['http://h/?plain=1&${KEY_PART}=2', { 'a%zz': true }],
  ['http://h/?plain=1&x-${KEY_PART}', { 'x-a%zz': true }],
  ['http://h/?plain=${MORE}', { plain: false, more: true }],
  ['http://h/??sig=${KEY_PART}', { '?sig': false }],
  ['http://h/${WITH_QUERY}', { sig: true }],
]
for (const [url, parameters] of FILLED) {
  test(`the references of ${url} fill these parameters, true with their names: ${JSON.stringify(parameters)}`, () => {
    const values = { ...environment, KEY_PART: 'a%zz', MORE: '1&more=2', WITH_QUERY: 'a?sig=1' }
    const entry = { path: '/a/', outbound: { url, endpoint: 'x?plain=1' } }
    const { router } = checkRouter(entry, 7, { environment: values })
    assert.ok(router?.kind === 'active')
    const filled = router.outbound.filledParameters.map(({ rawName, isNameFilled }) => [rawName, isNameFilled])
    assert.deepEqual(Object.fromEntries(filled), parameters)
  })
}

test('of a disabled router only the path is read', () => {
  const entry = { path: '/a/', disabled: true, outbound: { url: '${UNSET}', headers: 1 }, ingress: 'x', stray: '${V}' }
  const { router, rejected, referencedNames: names, unknownKeys } = check(entry)
  assert.deepEqual([router?.kind, router?.path], ['disabled', '/a/'])
  assert.deepEqual([rejected.length, names.size, unknownKeys.length], [0, 0, 0])
})

test('a header called __proto__ is checked like any other header', () => {
  const entry: unknown = JSON.parse(
    '{"path":"/a/","ingress":{"headers":{"__proto__":["x"]}},"outbound":{"url":"http://h"}}',
  )
  const { router } = check(entry)
  assert.deepEqual(router?.kind === 'active' && router.ingressHeaders, [
    { name: '__proto__', values: ['x'], secret: false },
  ])
})

test('unknown keys of a router are named, at every level', () => {
  const { unknownKeys } = check({
    path: '/a/',
    a: 1,
    ingress: { b: 1 },
    outbound: { url, c: 1, headers: { D: ['1'] } },
  })
  assert.deepEqual(
    unknownKeys,
    ['a', 'ingress.b', 'outbound.c'].map((key) => `gl_config.routers[7].${key}`),
  )
})

test('a rejected header is named by the first 199 characters of its name', () => {
  const name = 'x'.repeat(1_000)
  const shown = `${'x'.repeat(199)}…`
  for (const part of ['ingress', 'outbound']) {
    const entry = { path: '/a/', outbound: { url }, [part]: { url, headers: { [name]: ['', 'ä'] } } }
    assert.deepEqual(check(entry).rejected, [
      { path: [part, 'headers', shown, 0], reason: 'required:' },
      { path: [part, 'headers', shown, 1], reason: 'ascii:' },
    ])
  }
})

test('the entry hash covers the entry with unexpanded references: it changes with the entry, not with a value', () => {
  const hash = (entry: unknown, KEY: string) => checkRouter(entry, 0, { environment: { KEY } }).router?.entryHash
  assert.equal(hash(header(['${KEY}']), 'a'), hash(header(['${KEY}']), 'b'))
  assert.notEqual(hash(header(['${KEY}']), 'a'), hash(header(['$KEY']), 'a'))
})
