import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type Certificate = {
  readonly certificateFile: string
  readonly privateKeyFile: string
  /** PEM */
  readonly certificate: Buffer
  readonly privateKey: Buffer
}

export type CertificateOptions = {
  /** `DNS:localhost`, `IP:127.0.0.1`, `email:…`; the default is both names of this machine. */
  readonly alternativeNames?: readonly string[]
  /** Days of validity; default 2. */
  readonly days?: number
}

/** A certificate authority that no program trusts by default. All files lie in one temporary directory. */
export type Authority = Certificate & {
  readonly directory: string
  issue(name: string, options?: CertificateOptions): Promise<Certificate>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const openssl = promisify(execFile)

/** Makes a new authority with the machine's `openssl` (3.0 or newer). */
export async function createAuthority(name = 'test authority'): Promise<Authority> {
  const directory = await mkdtemp(join(tmpdir(), 'llm-gateway-certificates-'))
  const close = (): Promise<void> => rm(directory, { recursive: true, force: true })
  try {
    const own = await request(directory, 'ca', name, ['-addext', 'keyUsage=critical,keyCertSign', '-days', '2'])
    return {
      ...own,
      directory,
      issue: (leaf, options = {}) => {
        const names = options.alternativeNames ?? ['DNS:localhost', 'IP:127.0.0.1']
        const signing = ['-CA', own.certificateFile, '-CAkey', own.privateKeyFile]
        const extensions = ['-addext', `subjectAltName=${names.join(',')}`, '-addext', 'basicConstraints=CA:FALSE']
        return request(directory, leaf, leaf, [...signing, ...extensions, '-days', String(options.days ?? 2)])
      },
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function request(directory: string, file: string, name: string, extra: readonly string[]): Promise<Certificate> {
  const certificateFile = join(directory, `${file}.cert.pem`)
  const privateKeyFile = join(directory, `${file}.key.pem`)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', privateKeyFile]
  await openssl('openssl', ['req', '-x509', ...key, '-subj', `/CN=${name}`, '-out', certificateFile, ...extra])
  return {
    certificateFile,
    privateKeyFile,
    certificate: await readFile(certificateFile),
    privateKey: await readFile(privateKeyFile),
  }
}
