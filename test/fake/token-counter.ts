import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BusAddress } from './bus-client.ts'
import { type Program, startProgram, waitForLine } from './program.ts'

const MAIN = join(import.meta.dirname, '../../processors/token-counter/src/main.ts')

const ENTRY = { name: 'token_counter', service_bus_topic: 'llm.gl.tokencounter' }

/** The shipped rows of the token counter: one synchronous and one asynchronous entry, neither required. */
export const TOKEN_COUNTER_ROWS = {
  request: {
    processors: [
      [
        {
          ...ENTRY,
          timeout: 1_000,
          input_fields_include: ['gl_path', 'ingress_payload'],
          output_fields_write: ['control', 'control_status_code', 'control_headers'],
        },
      ],
    ],
  },
  response: {
    processors: [
      [
        {
          ...ENTRY,
          timeout: 5_000,
          async: true,
          input_fields_include: ['gl_path', 'original_gl_path', 'inbound_status_code', 'inbound_payload'],
          output_fields_write: ['token_count'],
        },
      ],
    ],
  },
} as const

/**
 * Starts the shipped token counter as a process without caps. The token counter is subscribed when the promise
 * resolves.
 */
export async function startTokenCounter(bus: BusAddress): Promise<Program> {
  const directory = await mkdtemp(join(tmpdir(), 'llm-gateway-token-counter-'))
  const file = join(directory, 'tokencounter_config.json')
  const config = { service_bus: { hostname: bus.address, token: bus.token ?? '' }, token_caps: [] }
  await writeFile(file, JSON.stringify(config))
  const program = await startProgram({ command: process.execPath, args: [MAIN, '-o', file] })
  const stop: Program['stop'] = async (graceMs) => {
    const exit = await program.stop(graceMs)
    await rm(directory, { recursive: true, force: true })
    return exit
  }
  await waitForLine(program, /processor initialized/)
  return {
    ...program,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
    },
  }
}
