import assert from 'node:assert/strict'
import { copyFile, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { connect } from 'node:tls'
import { type Authority, type Certificate, createAuthority } from '../../fake/certificates.ts'
import { startGateway } from '../../fake/gateway.ts'
import { type Llm, startLlm } from '../../fake/llm.ts'
import { type NatsServer, startNatsServer } from '../../fake/nats-server.ts'

let nats: NatsServer
let authority: Authority
let stranger: Authority
let certificate: Certificate
let llm: Llm
let misnamed: Llm

before(async () => {
  nats = await startNatsServer()
  authority = await createAuthority()
  stranger = await createAuthority('another authority')
  certificate = await authority.issue('leaf')
  llm = await startLlm({ tls: certificate })
  misnamed = await startLlm({ tls: await authority.issue('other', { alternativeNames: ['DNS:other.example'] }) })
})
after(async () => {
  await Promise.all([llm.close(), misnamed.close(), authority.close(), stranger.close()])
  await nats.close()
})

type Outbound = Readonly<Record<string, unknown>>

/** What a caller gets through a gateway with these settings: a status, or our code. */
async function call(outbound: Outbound, url: string): Promise<string> {
  const routers = [{ path: '/llm/', outbound: { url } }]
  await using gateway = await startGateway({ nats, config: { routers, tls: { outbound } } })
  const answer = await fetch(`${gateway.url}/llm/models`)
  await answer.arrayBuffer()
  return answer.headers.get('gateway-error') ?? String(answer.status)
}

const trusted = () => [authority.certificateFile]
const cases: readonly (readonly [string, () => Outbound, () => Llm, string])[] = [
  ['by default an authority nobody knows is not trusted', () => ({}), () => llm, 'UPSTREAM_TLS'],
  ['3: cert_files are appended to the system pool', () => ({ cert_files: trusted() }), () => llm, '200'],
  ['3: and without it', () => ({ cert_files: trusted(), system_cert_pool: false }), () => llm, '200'],
  ['3: another authority does not help', () => ({ cert_files: [stranger.certificateFile] }), () => llm, 'UPSTREAM_TLS'],
  ['no pool at all trusts nobody', () => ({ system_cert_pool: false }), () => llm, 'UPSTREAM_TLS'],
  ['a wrong host name is refused', () => ({ cert_files: trusted() }), () => misnamed, 'UPSTREAM_TLS'],
  ['4: insecure allows what is not trusted', () => ({ insecure: true }), () => llm, '200'],
  ['4: and a wrong name', () => ({ insecure: true }), () => misnamed, '200'],
]

for (const [name, outbound, target, expected] of cases) {
  test(`specification, TLS ${name}`, async () => assert.equal(await call(outbound(), target().url), expected))
}

test('wire 5: http spoken to an https target, and https to an http one, are UPSTREAM errors', async () => {
  await using plain = await startLlm()
  assert.equal(await call({}, plain.url.replace('http:', 'https:')), 'UPSTREAM_TLS')
  assert.match(await call({}, llm.url.replace('https:', 'http:')), /^UPSTREAM_(RESET|PROTOCOL)$/)
})

test('wire 5: cert_files whose content changes are loaded again in place', async () => {
  const file = join(authority.directory, 'pool.pem')
  await copyFile(stranger.certificateFile, file)
  const routers = [{ path: '/llm/', outbound: { url: llm.url } }]
  await using gateway = await startGateway({ nats, config: { routers, tls: { outbound: { cert_files: [file] } } } })
  assert.equal((await fetch(`${gateway.url}/llm/models`)).headers.get('gateway-error'), 'UPSTREAM_TLS')
  await writeFile(file, 'half a certificate')
  const { field, file: path } = await gateway.logs.waitFor(({ msg }) => msg === 'certificate not reloaded')
  assert.deepEqual([field, path], ['tls.outbound.cert_files[0]', file])
  await copyFile(authority.certificateFile, file)
  await gateway.logs.waitFor(({ msg }) => msg === 'certificate reloaded')
  assert.equal((await fetch(`${gateway.url}/llm/models`)).status, 200)
})

function ingress(files: { readonly certificateFile: string; readonly privateKeyFile: string }) {
  const { certificateFile: certificate_file, privateKeyFile: private_key_file } = files
  return { tls: { ingress: { enabled: true, certificate_file, private_key_file } } }
}

/** Posts to `/echo/` on a connection of its own and returns the body. */
function echo(port: number, ca: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: 'localhost', port, path: '/echo/', method: 'POST', ca, agent: false }
    const sent = request(options, (answer) => {
      let text = ''
      answer.on('data', (chunk) => {
        text += String(chunk)
      })
      answer.on('end', () => resolve(text))
    })
    sent.on('error', reject)
    sent.end('{"a":1}')
  })
}

function subjectAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

test('specification, TLS 1: ingress is served over TLS where it is enabled, and only over TLS', async () => {
  await using gateway = await startGateway({ nats, config: ingress(certificate) })
  assert.equal(await echo(gateway.port, authority.certificate), '{"a":1}')
  await assert.rejects(echo(gateway.port, stranger.certificate))
  await assert.rejects(fetch(`${gateway.url}/echo/`, { method: 'POST', body: '{}' }))
})

test('specification, TLS 1: the files are required when it is enabled, ignored when it is not', async () => {
  const missing = { certificateFile: '/nowhere/cert.pem', privateKeyFile: '/nowhere/key.pem' }
  await assert.rejects(startGateway({ nats, config: ingress(missing) }), { code: 'ENOENT' })
  const empty = join(authority.directory, 'empty.pem')
  await writeFile(empty, '')
  await assert.rejects(startGateway({ nats, config: ingress({ ...certificate, certificateFile: empty }) }))
  const { tls } = ingress(missing)
  const off = { tls: { ingress: { ...tls.ingress, enabled: false } } }
  await using gateway = await startGateway({ nats, config: off })
  assert.equal((await fetch(`${gateway.url}/echo/`, { method: 'POST', body: '{}' })).status, 200)
})

test('wire 5: certificate files replaced in place are used by new connections, without a restart', async () => {
  const files = {
    certificateFile: join(authority.directory, 'live.cert.pem'),
    privateKeyFile: join(authority.directory, 'live.key.pem'),
  }
  const [first, second] = await Promise.all([authority.issue('first'), authority.issue('second')])
  await copyFile(first.certificateFile, files.certificateFile)
  await copyFile(first.privateKeyFile, files.privateKeyFile)
  await using gateway = await startGateway({ nats, config: ingress(files) })
  assert.equal(await subjectAt(gateway.port), 'first')
  // Half of the pair, then nothing, then the rest: none of it may end the service.
  await copyFile(second.certificateFile, files.certificateFile)
  await gateway.logs.waitFor(({ msg }) => msg === 'certificate not reloaded')
  assert.equal(await echo(gateway.port, authority.certificate), '{"a":1}')
  await writeFile(files.privateKeyFile, '')
  // The certificate may have been seen empty too, while it was copied.
  const { file } = await gateway.logs.waitFor(
    ({ msg, code, field }) =>
      msg === 'certificate not reloaded' && code === 'EMPTY' && field === 'tls.ingress.private_key_file',
  )
  assert.equal(file, files.privateKeyFile)
  assert.equal(await subjectAt(gateway.port), 'first')
  await copyFile(second.privateKeyFile, files.privateKeyFile)
  await gateway.logs.waitFor(({ msg }) => msg === 'certificate reloaded')
  assert.equal(await subjectAt(gateway.port), 'second')
})

test('specification, TLS 2: TLS settings wait for a restart, and the log says which', async () => {
  await using gateway = await startGateway({ nats, config: {} })
  await gateway.editConfig(ingress(certificate))
  const line = await gateway.logs.waitFor(({ msg }) => msg === 'configuration changes need a restart')
  assert.match(JSON.stringify(line.fields), /tls\.ingress\.enabled/)
  assert.equal((await fetch(`${gateway.url}/echo/`, { method: 'POST', body: '{}' })).status, 200)
})
