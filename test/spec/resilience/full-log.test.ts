import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../../fake/free-port.ts'
import { gatewayAddresses, gatewayConfig } from '../../fake/gateway-addresses.ts'
import { writeGatewayFile } from '../../fake/gateway-file.ts'
import { GATEWAY_MAIN } from '../../fake/gateway-process.ts'
import { startLlm } from '../../fake/llm.ts'
import { type Program, startProgram } from '../../fake/program.ts'

// Rules: docs/reference/configuration-rules.md#log-lines

/** Throws an uncaught error when the gateway gets this signal. */
const FAULT = "process.once('SIGUSR2', () => { throw new RangeError() })"

async function startWithFullLog(llmUrl: string) {
  const routers = [{ path: '/llm/', outbound: { url: llmUrl } }]
  const { config, port, adminPort } = await gatewayConfig({ admin: true, config: { routers } }, await freePort())
  const file = await writeGatewayFile(config)
  const fault = ['--import', `data:text/javascript,${encodeURIComponent(FAULT)}`]
  const args = ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, ...fault, GATEWAY_MAIN, '-o', file.file]
  const program = await startProgram({ command: 'sh', args })
  const { url, adminUrl } = gatewayAddresses(file, port, adminPort)
  const close = async (): Promise<void> => {
    await program.stop()
    await file.remove()
  }
  try {
    await untilReady(program, `${adminUrl}/readyz`)
  } catch (error) {
    await close()
    throw error
  }
  return { program, url, [Symbol.asyncDispose]: close }
}

/** Asks for the readiness, since the log can't be read. */
async function untilReady({ exited }: Program, url: string): Promise<void> {
  let code: number | null | undefined
  void exited.then((exit) => {
    code = exit.code
  })
  const isReady = (): Promise<boolean> =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    assert.equal(code, undefined, 'the gateway has ended')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

for (const [name, signal, code] of [
  ['a stop', 'SIGTERM', 0],
  ['an uncaught fault', 'SIGUSR2', 1],
] as const)
  test(`with a log on a full disk the gateway serves calls, and ${name} lets a running call end`, async () => {
    await using llm = await startLlm()
    const held = Promise.withResolvers<void>()
    llm.respond(async () => {
      await held.promise
      return { kind: 'answer', body: '{"late":true}' }
    })
    await using gateway = await startWithFullLog(llm.url)
    const call = fetch(`${gateway.url}/llm/x`, { method: 'POST', body: '{}' })
    await llm.requests.waitForCount(1)
    gateway.program.kill(signal)
    held.resolve()
    assert.equal(await (await call).text(), '{"late":true}')
    assert.equal((await gateway.program.exited).code, code)
  })
