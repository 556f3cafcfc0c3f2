import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { type Authority, type Certificate, createAuthority } from '../../fake/certificates.ts'
import { startConnectProxy } from '../../fake/connect-proxy.ts'
import { type RunningGateway, startGateway } from '../../fake/gateway.ts'
import { type RawLlm, startRawLlm } from '../../fake/raw-llm.ts'

// Rules: docs/reference/http.md#answers, docs/reference/http.md#timeouts

const HEADERS_MS = 2_000
const FINAL = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{"a":11}'
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'
/** A head of nearly header_bytes. */
const LONG = `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(60_000)}\r\n\r\n`

/** The pieces of the LLM API's answer, each in a segment of its own. An endless list ends with the connection. */
let pieces: () => Iterable<string>
let authority: Authority
let certificate: Certificate
const scenes: Record<string, { readonly llm: RawLlm; readonly gateway: RunningGateway }> = {}
const closing = new AsyncDisposableStack()

before(async () => {
  authority = closing.use(await createAuthority())
  certificate = await authority.issue('llm')
  const proxy = await startConnectProxy()
  closing.defer(() => proxy.close())
  await start('over TCP', undefined, {})
  await start('over TLS', certificate, {})
  await start('over TLS through a proxy', certificate, { HTTPS_PROXY: proxy.url })
})
after(() => closing.disposeAsync())

async function start(name: string, tls: Certificate | undefined, env: Readonly<Record<string, string>>): Promise<void> {
  const llm = closing.use(await startRawLlm((socket) => sendPieces(socket), tls))
  const config = {
    routers: [{ path: '/llm/', outbound: { url: llm.url } }],
    tls: { outbound: { cert_files: [authority.certificateFile] } },
    limits: { outbound_headers_timeout_ms: HEADERS_MS },
  }
  scenes[name] = { llm, gateway: closing.use(await startGateway({ env, config })) }
}

function sendPieces(socket: Socket): void {
  const iterator = pieces()[Symbol.iterator]()
  const next = (): void => {
    const { value, done } = iterator.next()
    if (done !== true && !socket.destroyed) socket.write(value, () => setImmediate(next))
  }
  socket.setNoDelay(true)
  next()
}

async function call(name: string): Promise<string> {
  const scene = scenes[name]
  assert.ok(scene)
  const answer = await fetch(`${scene.gateway.url}/llm/x`, { method: 'POST', body: '{"q":1}' })
  const text = await answer.text()
  return `${answer.status} ${answer.headers.get('gateway-error') ?? text}`
}

/** Repeats the pieces forever. */
function* endless(...once: readonly string[]): Generator<string> {
  for (;;) yield* once
}

const OK = '200 {"a":11}'
const singleCharacters = (text: string): readonly string[] => [...text]
const cases: readonly (readonly [name: string, pieces: () => Iterable<string>, expected: string])[] = [
  ['a 100 without an Expect header', () => [CONTINUE, FINAL], OK],
  ['a 100 in the segment of the answer', () => [CONTINUE + FINAL], OK],
  ['several at once', () => [CONTINUE + HINTS + CONTINUE, HINTS + FINAL], OK],
  ['split into single bytes', () => singleCharacters(CONTINUE + HINTS + FINAL), OK],
  ['split behind the first line', () => ['HTTP/1.1 100 Continue\r\n', '\r', `\nHTTP/1.1 2`, FINAL.slice(10)], OK],
  ['without a reason phrase', () => ['HTTP/1.1 100\r\n\r\nHTTP/1.0 102 \r\n\r\n', FINAL], OK],
  ['three of 60 KB each', () => [LONG, LONG, LONG + FINAL], OK],
  ['large ones without end', () => endless(LONG), '502 UPSTREAM_PROTOCOL'],
  ['small ones without end', () => endless(CONTINUE.repeat(1_000)), '502 UPSTREAM_PROTOCOL'],
  [
    'one head without end',
    () => endless('HTTP/1.1 100 Continue\r\n', `A: ${'x'.repeat(60_000)}\r\n`),
    '502 UPSTREAM_PROTOCOL',
  ],
  ['whose lines end with a bare LF', () => ['HTTP/1.1 100 Continue\n\n', FINAL], '502 UPSTREAM_PROTOCOL'],
  ['with a bare CR', () => ['HTTP/1.1 100 Con\rtinue\r\n\r\n', FINAL], '502 UPSTREAM_PROTOCOL'],
  // The connection stays open, and further ones could follow.
  ['behind an empty line', () => [`\r\n${HINTS}`], '502 UPSTREAM_PROTOCOL'],
  ['behind an empty line, then the answer', () => [`\r\n${HINTS}`, FINAL], '502 UPSTREAM_PROTOCOL'],
  ['of HTTP/2.0', () => ['HTTP/2.0 103 Early Hints\r\nConnection: keep-alive\r\n\r\n'], '502 UPSTREAM_PROTOCOL'],
  ['of another protocol', () => ['ICE/1.1 103 Early Hints\r\n\r\n'], '502 UPSTREAM_PROTOCOL'],
  ['an empty line before the answer', () => ['\r\n', FINAL], OK],
  [
    'a 101 that nobody asked for',
    () => ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
    '502 UPSTREAM_RESET',
  ],
  ['with a status of four digits', () => ['HTTP/1.1 1000 OK\r\n\r\n', FINAL], '502 UPSTREAM_PROTOCOL'],
  ['followed by bytes that are no HTTP', () => [CONTINUE, 'nonsense\r\n\r\n'], '502 UPSTREAM_PROTOCOL'],
]

for (const transport of ['over TCP', 'over TLS', 'over TLS through a proxy']) {
  for (const [name, script, expected] of cases) {
    test(`1xx answers are skipped, ${transport}: ${name}`, async () => {
      pieces = script
      assert.equal(await call(transport), expected)
      // After any outcome the next call must be normal.
      pieces = () => [FINAL]
      assert.equal(await call(transport), OK)
    })
  }

  test(`1xx answers don't prolong outbound_headers_timeout_ms, ${transport}`, async () => {
    pieces = () => []
    const calling = call(transport)
    const scene = scenes[transport]
    const beat = setInterval(() => scene?.llm.sockets.at(-1)?.write(HINTS), 100)
    try {
      assert.equal(await calling, '504 UPSTREAM_TIMEOUT')
    } finally {
      clearInterval(beat)
    }
  })
}

test('a kept connection takes 1xx answers before each of its answers, and bytes behind an answer end it', async () => {
  const scene = scenes['over TCP']
  assert.ok(scene)
  pieces = () => [CONTINUE + FINAL]
  for (let round = 0; round < 5; round += 1) assert.equal(await call('over TCP'), OK)
  const before = scene.llm.sockets.length
  pieces = () => [FINAL + FINAL]
  assert.equal(await call('over TCP'), OK)
  pieces = () => [FINAL.replace('11', '22')]
  assert.equal(await call('over TCP'), OK.replace('11', '22'))
  assert.equal(scene.llm.sockets.length, before + 1)
})

test('the text of a 1xx answer inside a body is passed on like other bytes, with a slow reader too', async () => {
  const body = `${CONTINUE}${HINTS}`.repeat(20_000)
  pieces = () => [`${CONTINUE}HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`, body]
  for (const transport of ['over TCP', 'over TLS']) assert.equal(await call(transport), `200 ${body}`)
})
