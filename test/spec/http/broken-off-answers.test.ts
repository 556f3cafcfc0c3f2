import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { createAuthority } from '../../fake/certificates.ts'
import { startConnectProxy } from '../../fake/connect-proxy.ts'
import { openRawConnection } from '../../fake/raw-http.ts'
import { startRawLlm } from '../../fake/raw-llm.ts'
import { type Scene, startScene } from '../../fake/scene.ts'
import { startTcpProxy, type TcpProxy } from '../../fake/tcp-proxy.ts'

// Rules: docs/reference/http.md#answers, docs/reference/http.md#errors

type Network = { readonly scene: Scene; readonly wire: TcpProxy }
type Ending = 'reset' | 'FIN'

const PART = '{"part":1}'
/** The bytes that the LLM API sends; then the test ends the connection. */
let bytes = ''
let llmSocket: Socket | undefined
const networks: Record<string, Network> = {}
const closing = new AsyncDisposableStack()

before(async () => {
  const authority = closing.use(await createAuthority())
  const answer = (socket: Socket): void => {
    llmSocket = socket
    socket.write(bytes)
  }
  const plain = closing.use(await startRawLlm(answer))
  const secure = closing.use(await startRawLlm(answer, await authority.issue('llm')))
  const config = { tls: { outbound: { cert_files: [authority.certificateFile] } } }
  const plainWire = closing.use(await startTcpProxy(Number(new URL(plain.url).port)))
  await start('over TCP', plainWire, `http://${plainWire.address}`, { config })
  const secureWire = closing.use(await startTcpProxy(Number(new URL(secure.url).port)))
  await start('over TLS', secureWire, `https://${secureWire.address}`, { config })
  const proxy = closing.use(await startConnectProxy())
  const proxyWire = closing.use(await startTcpProxy(proxy.port))
  const env = { HTTPS_PROXY: `http://${proxyWire.address}` }
  await start('over TLS through a proxy', proxyWire, secure.url, { config, env })
})
after(() => closing.disposeAsync())

async function start(name: string, wire: TcpProxy, url: string, options: Parameters<typeof startScene>[0]) {
  const routers = () => [{ path: '/llm/', outbound: { url } }]
  networks[name] = { wire, scene: closing.use(await startScene({ ...options, routers })) }
}

function networkOf(name: string): Network {
  const network = networks[name]
  assert.ok(network)
  return network
}

/** Ends the connection once the part has reached the caller, and returns the caller's end and the record. */
async function breakOff({ scene, wire }: Network, ending: Ending) {
  using caller = await openRawConnection(scene.gateway.port)
  await caller.send('GET /llm/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  const head = await caller.waitFor(/"part":1/)
  if (ending === 'reset') wire.cut()
  else llmSocket?.end()
  const { text } = await caller.ended()
  const id = /session-id: (\S+)/i.exec(head)?.[1]
  return { text, record: await scene.records.waitFor(({ record }) => record.transaction_id === id) }
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const untilClose = `${OK}\r\n${PART}`
const chunk = `${PART.length.toString(16)}\r\n${PART}\r\n`

const broken: readonly (readonly [name: string, bytes: string, endings: readonly Ending[]])[] = [
  ['that ends with the connection', untilClose, ['reset']],
  ['that ends with an HTTP/1.0 connection', untilClose.replace('/1.1', '/1.0'), ['reset']],
  ['shorter than its Content-Length', `${OK}Content-Length: 99\r\n\r\n${PART}`, ['reset', 'FIN']],
  [
    'shorter than its Content-Length, with Connection: close',
    `${OK}Connection: close\r\nContent-Length: 99\r\n\r\n${PART}`,
    ['reset', 'FIN'],
  ],
  ['without its last chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n${chunk}`, ['reset', 'FIN']],
  [
    'without its last chunk, with Connection: close',
    `${OK}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
    ['reset', 'FIN'],
  ],
]

for (const network of ['over TCP', 'over TLS', 'over TLS through a proxy']) {
  for (const [name, sent, endings] of broken) {
    for (const ending of endings) {
      test(`${network}: an answer ${name} breaks off at a ${ending}, for the caller and in the record`, async () => {
        bytes = sent
        const { text, record } = await breakOff(networkOf(network), ending)
        assert.doesNotMatch(text, /\r\n0\r\n\r\n$/)
        assert.equal(record.record.error_type, 'provider_stream')
        assert.deepEqual(record.field('response.error'), [{ name: 'outbound', details: 'UPSTREAM_RESET' }])
        assert.deepEqual(record.field('response.inbound_payload'), { part: 1 })
      })
    }
  }

  test(`${network}: an answer that ends with the connection is whole after a FIN`, async () => {
    bytes = untilClose
    const { scene } = networkOf(network)
    const answer = await fetch(`${scene.url}/x`)
    llmSocket?.end()
    assert.deepEqual(await answer.json(), { part: 1 })
    const record = await scene.recordOf(answer)
    assert.deepEqual([record.record.error_type, record.field('response.error')], [undefined, undefined])
  })
}

test('an HTTP error that ends with the connection is whole after a reset, by which servers refuse requests early', async () => {
  bytes = untilClose.replace('200 OK', '431 Request Header Fields Too Large')
  const { text, record } = await breakOff(networkOf('over TCP'), 'reset')
  assert.match(text, /\r\n0\r\n\r\n$/)
  assert.equal(record.record.error_type, 'provider_error')
})

test('a caller of HTTP/1.0 sees a reset, because a closed connection would make the broken answer whole', async () => {
  const { scene, wire } = networkOf('over TCP')
  bytes = `${OK}Transfer-Encoding: chunked\r\n\r\n${chunk}`
  for (const version of ['1.0', '1.1']) {
    using caller = await openRawConnection(scene.gateway.port)
    await caller.send(`GET /llm/x HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`)
    await caller.waitFor(/"part":1/)
    wire.cut()
    assert.equal((await caller.ended()).ended, version === '1.0' ? 'reset' : 'close')
  }
})
