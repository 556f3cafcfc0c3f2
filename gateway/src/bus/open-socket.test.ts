import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { openSocket } from './open-socket.ts'

// Rules: docs/reference/configuration-rules.md#tls-of-the-bus

test('a certificate file that is a pipe fails the attempt and is not waited for', async (context) => {
  await using authority = await createAuthority()
  const { certificateFile, privateKeyFile } = await authority.issue('server')
  const tls = `tls { cert_file: "${certificateFile}", key_file: "${privateKeyFile}" }`
  await using server = await startNatsServer({ extra: tls })
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-bus-tls-'))
  context.after(() => rm(folder, { recursive: true }))
  const pipe = join(folder, 'pipe')
  await promisify(execFile)('mkfifo', [pipe])
  const at = { hostname: '127.0.0.1', port: server.port, tls: { caFile: pipe } }
  assert.deepEqual(await openSocket(at, context.signal), { kind: 'failed', code: 'BUS_TLS' })
})
