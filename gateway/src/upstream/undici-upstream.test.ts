import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { rootCertificates } from 'node:tls'
import { promisify } from 'node:util'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { watchTasks } from '../work/tasks-under-test.ts'
import { originOf } from './undici-upstream.ts'
import type { Upstream, UpstreamAnswer } from './upstream.ts'
import { requestTo, STAYS, upstreamUnderTest } from './upstream-under-test.ts'

function upstreamThatTrusts(ca: readonly string[]): Upstream {
  return upstreamUnderTest({ connectTimeoutMs: 10_000, tls: { rejectUnauthorized: true, ca } })
}

function get(upstream: Upstream, port: number): Promise<UpstreamAnswer> {
  return upstream.send(requestTo(`https://localhost:${port}`, 10_000), STAYS)
}

for (const [target, origin] of [
  [{ protocol: 'https:', hostname: 'llm.example', port: '' }, 'https://llm.example'],
  [{ protocol: 'http:', hostname: '192.0.2.1', port: '8080' }, 'http://192.0.2.1:8080'],
  [{ protocol: 'http:', hostname: '2001:db8::1', port: '' }, 'http://[2001:db8::1]'],
] as const)
  test(`connections of calls to ${origin} have this origin`, () => {
    assert.equal(new URL(origin).origin, origin)
    assert.equal(originOf(target), origin)
  })

test('connections to https LLM APIs don’t read the authorities anew', async () => {
  const upstream = upstreamThatTrusts(rootCertificates)
  const port = await freePort()
  await assertShortTurns(50, async () => {
    using tasks = watchTasks()
    const answers = await Promise.all(Array.from({ length: 40 }, () => get(upstream, port)))
    assert.deepEqual([...new Set(answers.map(({ kind }) => kind))], ['failed'])
    return tasks.ms
  })
  await upstream.close()
})

test('an LLM API can’t choose a handshake with numbers of its own size', async () => {
  await using folder = await temporaryFolder()
  const [keyFile, certFile] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')]
  const made = [
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=localhost',
    '-keyout',
    keyFile,
    '-out',
    certFile,
  ]
  await promisify(execFile)('openssl', ['req', ...made, '-addext', 'subjectAltName=DNS:localhost'])
  const [key, cert] = [await readFile(keyFile, 'utf8'), await readFile(certFile, 'utf8')]
  const askServerWith = async (ciphers: string): Promise<UpstreamAnswer> => {
    const server = createServer({ key, cert, ciphers, maxVersion: 'TLSv1.2', dhparam: 'auto' })
    server.on('request', (_, response) => void response.end())
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    const address = server.address()
    assert.ok(typeof address === 'object' && address !== null)
    const upstream = upstreamThatTrusts([cert])
    const answer = await get(upstream, address.port)
    await upstream.close()
    server.close()
    return answer
  }
  assert.equal((await askServerWith('ECDHE-RSA-AES128-GCM-SHA256')).kind, 'answered')
  assert.deepEqual(await askServerWith('DHE-RSA-AES128-GCM-SHA256'), { kind: 'failed', code: 'UPSTREAM_TLS' })
})
