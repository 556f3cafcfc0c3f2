import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { type Authority, type Certificate, createAuthority } from '../fake/certificates.ts'
import { freePort } from '../fake/free-port.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { type Program, startProgram, waitForLine } from '../fake/program.ts'
import type { InstalledSdk } from './installed-sdk.ts'

/** Registers the test that a program waits for TLS files which it can't use yet. */
export function waitsForTlsFiles(
  sdk: () => { readonly installed: InstalledSdk; readonly path: string | undefined },
): void {
  it('waits, unready, for TLS files that are missing, unreadable or half written, and says so', async () => {
    const { installed, path } = sdk()
    await using authority = await createAuthority()
    const [own, client] = [await authority.issue('bus'), await authority.issue('client')]
    const required = `cert_file: "${own.certificateFile}", key_file: "${own.privateKeyFile}", ca_file: "${authority.certificateFile}"`
    await using nats = await startNatsServer({ extra: `tls { ${required}, verify: true }` })
    const [folder, port] = [join(installed.folder, 'late'), await freePort()]
    await mkdir(folder)
    const environment = {
      PATH: path,
      GATEWAY_HOST: nats.address,
      NATS_TOKEN: nats.token,
      NATS_CA_FILE: join(folder, 'ca.pem'),
      NATS_CERT_FILE: join(folder, 'client.pem'),
      NATS_KEY_FILE: join(folder, 'key.pem'),
      PROCESSOR_PORT: String(port),
      PROCESSOR_HOST: '127.0.0.1',
    }
    for (const change of unusableStates(folder, authority, client)) {
      await change()
      await using program = await startProgram({ ...installed, environment })
      await isWaiting(program, port)
      program.kill('SIGTERM')
      assert.deepEqual(await program.exited, { code: 0, signal: null })
    }
    await using validated = await startProgram({ ...installed, args: [...installed.args, '--validate'], environment })
    assert.equal((await validated.exited).code, 0)
    await using program = await startProgram({ ...installed, environment })
    await isWaiting(program, port)
    await writeFile(environment.NATS_KEY_FILE, client.privateKey)
    await waitForLine(program, /processor initialized/)
    await untilStatus(port, '/readyz', 200)
  })
}

/** Returns the changes that lead from one unusable state of the files to the next. */
function unusableStates(
  folder: string,
  authority: Authority,
  client: Certificate,
): readonly (() => Promise<unknown>)[] {
  const [ca, certificate, key] = [join(folder, 'ca.pem'), join(folder, 'client.pem'), join(folder, 'key.pem')]
  return [
    () => Promise.resolve('all are missing'),
    // Nobody can read a folder as a file; root can read every file.
    () => mkdir(ca),
    () => rm(ca, { recursive: true }).then(() => writeFile(ca, '')),
    () => writeFile(ca, authority.certificate.subarray(0, 300)),
    () => writeFile(ca, authority.certificate),
    () => writeFile(certificate, client.certificate),
    () => writeFile(key, client.privateKey.subarray(0, 100)),
  ]
}

async function isWaiting(program: Program, port: number): Promise<void> {
  await waitForLine(program, /bus not reachable/)
  await untilStatus(port, '/healthz', 200)
  await untilStatus(port, '/readyz', 503)
}

async function untilStatus(port: number, path: string, status: number): Promise<void> {
  const end = performance.now() + 60_000
  for (;;) {
    const found = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined) // The port opens a moment after the start.
    if (found?.status === status) return
    assert.ok(performance.now() < end, `${path} is ${found?.status}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
