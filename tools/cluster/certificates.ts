import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Paths of a certificate and its key, PEM files. */
export type KeyPair = { readonly certificate: string; readonly key: string }

/** The certificates and keys of a control plane, in one folder, valid for 30 days. */
export type Certificates = {
  readonly authority: KeyPair
  readonly server: KeyPair
  /** The key that signs service accounts' tokens, and its public half. */
  readonly serviceAccounts: { readonly key: string; readonly publicKey: string }
  /** Makes a client certificate with the user and the groups in its subject. */
  issueClient(user: string, groups: readonly string[]): Promise<KeyPair>
}

const DAYS = '30'
const NAMES = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']
const run = promisify(execFile)

/** Makes the certificates with the machine's `openssl` (3.0 or newer); `addresses` are the server's. */
export async function createCertificates(folder: string, addresses: readonly string[]): Promise<Certificates> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const authority = await certificate(folder, 'ca', '/CN=test-cluster', ['-addext', 'keyUsage=critical,keyCertSign'])
  const signed = ['-CA', authority.certificate, '-CAkey', authority.key, '-addext', 'basicConstraints=CA:FALSE']
  const names = [...[...NAMES, 'localhost'].map((name) => `DNS:${name}`), ...addresses.map((ip) => `IP:${ip}`)]
  const alternative = ['-addext', `subjectAltName=${names.join(',')}`]
  const [server, serviceAccounts] = await Promise.all([
    certificate(folder, 'server', '/CN=kube-apiserver', [...signed, ...alternative]),
    signingKey(folder),
  ])
  return {
    authority,
    server,
    serviceAccounts,
    issueClient: (user, groups) => {
      const subject = [...groups.map((group) => `/O=${escaped(group)}`), `/CN=${escaped(user)}`].join('')
      return certificate(folder, freeName(folder, user), subject, signed)
    },
  }
}

async function certificate(folder: string, name: string, subject: string, rest: readonly string[]): Promise<KeyPair> {
  const pair = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) }
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', pair.key]
  await run('openssl', ['req', '-x509', ...key, '-subj', subject, '-days', DAYS, '-out', pair.certificate, ...rest])
  return pair
}

async function signingKey(folder: string): Promise<{ key: string; publicKey: string }> {
  const pair = { key: join(folder, 'service-accounts.key'), publicKey: join(folder, 'service-accounts.pub') }
  await run('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', pair.key])
  await run('openssl', ['ec', '-in', pair.key, '-pubout', '-out', pair.publicKey])
  return pair
}

/** Escapes a part of a subject, in which a slash begins the next part. */
function escaped(text: string): string {
  return text.replaceAll(/[\\/+=]/g, '\\$&')
}

function freeName(folder: string, user: string): string {
  const name = `client-${user.replaceAll(/[^A-Za-z0-9-]/g, '_')}`
  let candidate = name
  for (let count = 2; existsSync(join(folder, `${candidate}.key`)); count += 1) candidate = `${name}-${count}`
  return candidate
}
