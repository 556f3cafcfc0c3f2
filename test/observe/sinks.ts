import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../fake/free-port.ts'
import type { Llm } from '../fake/llm.ts'
import type { NatsServer } from '../fake/nats-server.ts'
import { startProgram, waitForLine } from '../fake/program.ts'
import { type Target, target } from './prometheus.ts'
import { ROOT } from './promtool.ts'

/** Starts two sinks: `file` writes a file, `rest` posts to this server. */
export async function startSinks(
  nats: NatsServer,
  server: Llm,
  stack: AsyncDisposableStack,
): Promise<readonly Target[]> {
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-sinks-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const writers = {
    file: { mode: 'file_writer', file_writer: { filename: join(folder, 'records.jsonl') } },
    rest: {
      mode: 'rest_api_writer',
      rest_api_writer: { url: 'http://127.0.0.1', port: server.port, endpoint: '/records' },
    },
  }
  const targets: Target[] = []
  for (const [name, writer] of Object.entries(writers)) {
    const port = await freePort()
    const file = join(folder, `${name}_config.json`)
    const service_bus = { hostname: nats.address, token: '$NATS_TOKEN' }
    await writeFile(file, JSON.stringify({ ...writer, service_bus, admin_port: port }))
    const program = await startProgram({
      command: process.execPath,
      args: [join(ROOT, 'processors/nats2log/src/main.ts'), '-o', file],
      environment: { NATS_TOKEN: nats.token },
    })
    stack.use(program)
    await waitForLine(program, /sink initialized/)
    targets.push(target(`http://127.0.0.1:${port}`, `sink-${name}-0`))
  }
  return targets
}
