import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BusAddress } from './bus-client.ts'
import { type Authority, createAuthority } from './certificates.ts'
import { freePort } from './free-port.ts'
import { NATS_SERVER_BINARY } from './nats-server.ts'
import { type Program, startProgram, waitForLine } from './program.ts'

const CONF = join(import.meta.dirname, '../../conf')
const TOKEN = 'test-token'

export type BusPairPorts = { readonly inner: number; readonly outer: number; readonly leaf: number }

/**
 * The two servers of a bus with TLS, with the documented edits of the shipped files
 * (docs/reference/configuration-rules.md#tls-of-the-bus).
 */
export type BusPair = {
  /** The plain server, for programs on its machine. */
  readonly inner: BusAddress
  /** The server that faces the network. */
  readonly outer: BusAddress
  /** Signs the certificates of the server and its clients. */
  readonly authority: Authority
  restartInner(): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts both servers. They are joined when the promise resolves. */
export async function startBusPair(): Promise<BusPair> {
  const directory = await mkdtemp(join(tmpdir(), 'llm-gateway-bus-pair-'))
  const ports = { inner: await freePort(), outer: await freePort(), leaf: await freePort() }
  const authority = await createAuthority()
  await mkdir(join(directory, 'app/conf'), { recursive: true })
  await placeBusCertificates(authority, join(directory, 'app/conf'))
  for (const name of ['nats-server.conf', 'nats-server-tls.conf']) {
    const text = await readFile(join(CONF, name), 'utf8')
    await writeFile(join(directory, 'app/conf', name), withBusTls(name, text, ports))
  }
  // The supervisor passes these values in quotes.
  const environment = {
    NATS_TOKEN: `"${TOKEN}"`,
    BUS_LEAF_PASSWORD: '"leaf-password"',
    BUS_LEAF_URL: `"nats://leaf:leaf-password@127.0.0.1:${ports.leaf}"`,
  }
  const start = async (name: string): Promise<Program> => {
    const args = ['-c', join('app/conf', name)]
    const program = await startProgram({ command: NATS_SERVER_BINARY, args, environment, cwd: directory })
    await waitForLine(program, /Server is ready/)
    return program
  }
  let inner = await start('nats-server.conf')
  const outer = await start('nats-server-tls.conf')
  await waitForLine(inner, /Adding JetStream Domain Mapping.*\$KV/)
  const close = async (): Promise<void> => {
    await Promise.all([inner.stop(), outer.stop()])
    await authority.close()
    await rm(directory, { recursive: true, force: true })
  }
  return {
    inner: { address: `127.0.0.1:${ports.inner}`, token: TOKEN },
    outer: { address: `127.0.0.1:${ports.outer}`, token: TOKEN },
    authority,
    restartInner: async () => {
      await inner.stop()
      inner = await start('nats-server.conf')
      await waitForLine(inner, /Adding JetStream Domain Mapping.*\$KV/)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Edits a shipped configuration file as conf/nats-server-tls.conf describes, with free ports. */
export function withBusTls(name: string, text: string, { inner, outer, leaf }: BusPairPorts): string {
  switch (name) {
    case 'nats-server.conf':
      return text
        .replace('0.0.0.0:4222', `127.0.0.1:${inner}`)
        .replace(/^# leafnodes/m, 'leafnodes')
        .replace('127.0.0.1:7422', `127.0.0.1:${leaf}`)
    case 'nats-server-tls.conf':
      return text.replace('0.0.0.0:4222', `127.0.0.1:${outer}`)
    case 'ginit_config.json':
      return withTlsService(text)
    default:
      return text.replaceAll('localhost:4222', `127.0.0.1:${inner}`)
  }
}

/** Writes the certificates that conf/nats-server-tls.conf names. */
export async function placeBusCertificates(authority: Authority, folder: string): Promise<void> {
  const server = await authority.issue('bus')
  await cp(authority.certificateFile, join(folder, 'bus-ca.pem'))
  await cp(server.certificateFile, join(folder, 'bus-cert.pem'))
  await cp(server.privateKeyFile, join(folder, 'bus-key.pem'))
}

function withTlsService(text: string): string {
  const file = JSON.parse(text)
  const [bus, ...others] = file.services
  const outer = { ...bus, name: 'nats-server-tls', configuration_file: './app/conf/nats-server-tls.conf' }
  return JSON.stringify({ ...file, services: [bus, outer, ...others] })
}
