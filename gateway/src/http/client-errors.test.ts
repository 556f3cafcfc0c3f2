import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { listen } from '@llm-gateway/test/fake/listen'
import { answerClientErrors } from './client-errors.ts'
import { trackInboundConnections } from './inbound-connections.ts'

// Rules: docs/reference/http.md#timeouts

/** The head of a TLS message that announces 512 bytes. */
const BEGUN_HELLO = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00])

test('a TLS handshake that does not end in time ends its connection without an answer', {
  timeout: 60_000,
}, async (t) => {
  const authority = await createAuthority()
  const { certificate: cert, privateKey: key } = await authority.issue('localhost')
  const server = createServer({ cert, key, handshakeTimeout: 50 })
  const connections = trackInboundConnections(server)
  const answered: string[] = []
  answerClientErrors(server, connections, {
    session: () => ({ canonical: 'Session', value: 'one' }),
    onAnswered: (code) => answered.push(code),
  })
  const port = await listen(server)
  t.after(async () => {
    connections.destroy()
    server.close()
    await authority[Symbol.asyncDispose]()
  })
  const caller = connect(port, '127.0.0.1')
  t.after(() => caller.destroy())
  caller.on('error', () => undefined)
  caller.resume()
  caller.write(BEGUN_HELLO)
  await once(caller, 'close')
  assert.deepEqual(answered, [])
})
