import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGateway } from '../../fake/gateway.ts'
import { gatewayConfig } from '../../fake/gateway-addresses.ts'
import { writeGatewayFile } from '../../fake/gateway-file.ts'
import { GATEWAY_MAIN } from '../../fake/gateway-process.ts'
import { startNatsServer } from '../../fake/nats-server.ts'
import { startProgram, waitForLine } from '../../fake/program.ts'

// Rules: docs/reference/configuration-rules.md#rejection

const MISSING_FILES = { certificate_file: '/nowhere/cert.pem', private_key_file: '/nowhere/key.pem' }

type Start = {
  readonly name: string
  readonly code: string
  /** The setting and the file that the log line names. */
  readonly named?: readonly [field: string, file: string]
  readonly config?: Readonly<Record<string, unknown>>
  readonly environment?: Readonly<Record<string, string>>
}

const failing: readonly Start[] = [
  { name: 'a port that is taken', code: 'EADDRINUSE' },
  {
    name: 'a missing certificate',
    code: 'ENOENT',
    named: ['tls.ingress.certificate_file', '/nowhere/cert.pem'],
    config: { tls: { ingress: { enabled: true, ...MISSING_FILES } } },
  },
  {
    name: 'a missing cert_file',
    code: 'ENOENT',
    named: ['tls.outbound.cert_files[0]', '/nowhere/ca.pem'],
    config: { tls: { outbound: { cert_files: ['/nowhere/ca.pem'] } } },
  },
  { name: 'a proxy of an unknown kind', code: 'PROXY_UNSUPPORTED', environment: { HTTPS_PROXY: 'socks5://a:1' } },
]

for (const { name, code, named = [], config, environment } of failing) {
  test(`${name} at the start is logged as ERROR and ends with exit code 1, with or without the bus`, async () => {
    await using nats = await startNatsServer()
    await using first = await startGateway({ nats })
    for (const bus of [{ nats }, {}]) {
      const port = code === 'EADDRINUSE' ? first.port : 0
      const written = await gatewayConfig({ ...bus, config: config ?? {} }, port)
      const file = await writeGatewayFile(written.config)
      await using program = await startProgram({
        command: process.execPath,
        args: [GATEWAY_MAIN, '-o', file.file],
        environment: environment ?? {},
      })
      const line = await waitForLine(program, /gateway could not start/)
      const { level, code: loggedCode, field, file: path } = JSON.parse(line)
      assert.deepEqual([level, loggedCode, field, path], ['ERROR', code, named[0], named[1]])
      assert.equal((await program.exited).code, 1)
      await file.remove()
    }
  })
}
