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

// Rules: docs/reference/configuration-rules.md#tls-settings, docs/reference/configuration-rules.md#reload

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

/** Returns the caller's status or error code through a gateway with these settings. */
async function call(outbound: Outbound, url: string): Promise<string> {
  const routers = [{ path: '/llm/', outbound: { url } }]
  await using gateway = await startGateway({ nats, config: { routers, tls: { outbound } } })
  const answer = await fetch(`${gateway.url}/llm/models`)
  await answer.arrayBuffer()
  return answer.headers.get('gateway-error') ?? String(answer.status)
}

const trusted = () => [authority.certificateFile]
const cases: readonly (readonly [string, () => Outbound, () => Llm, string])[] = [
  ['by default an unknown authority is not trusted', () => ({}), () => llm, 'UPSTREAM_TLS'],
  ['cert_files are trusted beside the system’s authorities', () => ({ cert_files: trusted() }), () => llm, '200'],
  [
    'cert_files are trusted without the system’s authorities',
    () => ({ cert_files: trusted(), system_cert_pool: false }),
    () => llm,
    '200',
  ],
  [
    'cert_files of another authority do not help',
    () => ({ cert_files: [stranger.certificateFile] }),
    () => llm,
    'UPSTREAM_TLS',
  ],
  ['without any authority nothing is trusted', () => ({ system_cert_pool: false }), () => llm, 'UPSTREAM_TLS'],
  ['a certificate of another host name is refused', () => ({ cert_files: trusted() }), () => misnamed, 'UPSTREAM_TLS'],
  ['insecure admits an unknown authority', () => ({ insecure: true }), () => llm, '200'],
  ['insecure admits a wrong host name', () => ({ insecure: true }), () => misnamed, '200'],
]

for (const [name, outbound, target, expected] of cases) {
  test(`TLS to LLM APIs: ${name}`, async () => assert.equal(await call(outbound(), target().url), expected))
}

test('HTTP to an https target and HTTPS to an http target are UPSTREAM errors', async () => {
  await using plain = await startLlm()
  assert.equal(await call({}, plain.url.replace('http:', 'https:')), 'UPSTREAM_TLS')
  assert.match(await call({}, llm.url.replace('https:', 'http:')), /^UPSTREAM_(RESET|PROTOCOL)$/)
})

test('files of cert_files whose content changes are read again without a restart', async () => {
  const file = join(authority.directory, 'pool.pem')
  await copyFile(stranger.certificateFile, file)
  const routers = [{ path: '/llm/', outbound: { url: llm.url } }]
  await using gateway = await startGateway({ nats, config: { routers, tls: { outbound: { cert_files: [file] } } } })
  assert.equal((await fetch(`${gateway.url}/llm/models`)).headers.get('gateway-error'), 'UPSTREAM_TLS')
  await writeFile(file, 'half a certificate')
  const { field, file: path } = await gateway.logs.waitFor(
    ({ msg }) => msg === 'certificate could not be reloaded; the previous one stays in use',
  )
  assert.deepEqual([field, path], ['tls.outbound.cert_files[0]', file])
  await copyFile(authority.certificateFile, file)
  await gateway.logs.waitFor(({ msg }) => msg === 'certificate reloaded')
  assert.equal((await fetch(`${gateway.url}/llm/models`)).status, 200)
})

function ingress(files: { readonly certificateFile: string; readonly privateKeyFile: string }) {
  const { certificateFile: certificate_file, privateKeyFile: private_key_file } = files
  return { tls: { ingress: { enabled: true, certificate_file, private_key_file } } }
}

/** Posts to `/echo/` on a new connection and returns the body. */
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

test('with tls.ingress enabled callers are served over TLS, and only over TLS', async () => {
  await using gateway = await startGateway({ nats, config: ingress(certificate) })
  assert.equal(await echo(gateway.port, authority.certificate), '{"a":1}')
  await assert.rejects(echo(gateway.port, stranger.certificate))
  await assert.rejects(fetch(`${gateway.url}/echo/`, { method: 'POST', body: '{}' }))
})

test('the certificate files are required when tls.ingress is enabled, and ignored otherwise', async () => {
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

test('new connections use replaced certificate files, without a restart', async () => {
  const files = {
    certificateFile: join(authority.directory, 'live.cert.pem'),
    privateKeyFile: join(authority.directory, 'live.key.pem'),
  }
  const [first, second] = await Promise.all([authority.issue('first'), authority.issue('second')])
  await copyFile(first.certificateFile, files.certificateFile)
  await copyFile(first.privateKeyFile, files.privateKeyFile)
  await using gateway = await startGateway({ nats, config: ingress(files) })
  assert.equal(await subjectAt(gateway.port), 'first')
  // A new certificate without its key, then an empty key: neither may end the service.
  await copyFile(second.certificateFile, files.certificateFile)
  await gateway.logs.waitFor(({ msg }) => msg === 'certificate could not be reloaded; the previous one stays in use')
  assert.equal(await echo(gateway.port, authority.certificate), '{"a":1}')
  await writeFile(files.privateKeyFile, '')
  // The certificate may also have been read while it was copied.
  const { file } = await gateway.logs.waitFor(
    ({ msg, code, field }) =>
      msg === 'certificate could not be reloaded; the previous one stays in use' &&
      code === 'EMPTY' &&
      field === 'tls.ingress.private_key_file',
  )
  assert.equal(file, files.privateKeyFile)
  assert.equal(await subjectAt(gateway.port), 'first')
  await copyFile(second.privateKeyFile, files.privateKeyFile)
  await gateway.logs.waitFor(({ msg }) => msg === 'certificate reloaded')
  assert.equal(await subjectAt(gateway.port), 'second')
})

test('changed TLS settings take effect after a restart, and the log names them', async () => {
  await using gateway = await startGateway({ nats, config: {} })
  await gateway.editConfig(ingress(certificate))
  const line = await gateway.logs.waitFor(({ msg }) => msg === 'configuration changes need a restart')
  assert.match(JSON.stringify(line.fields), /tls\.ingress\.enabled/)
  assert.equal((await fetch(`${gateway.url}/echo/`, { method: 'POST', body: '{}' })).status, 200)
})
