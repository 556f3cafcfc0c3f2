import { join } from 'node:path'
import type { NatsServer } from '../fake/nats-server.ts'
import { type Program, startProgram, waitForLine } from '../fake/program.ts'
import { LOAD_CORE, pinnedTo } from './bench-process.ts'

const MAIN = join(import.meta.dirname, '../../processors/character-count/src/main.ts')

/** The shipped character count, made synchronous for the bench. */
export const CHARACTER_COUNT_ROW = {
  name: 'character_count',
  service_bus_topic: 'llm.gl.charactercount',
  timeout: 5_000,
  input_fields_include: ['ingress_payload'],
  output_fields_write: ['character_count'],
}

/** Starts the character count on the load's core. The processor is subscribed when the promise resolves. */
export async function startCharacterCount(nats: NatsServer): Promise<Program> {
  const [command = '', ...args] = [...pinnedTo(LOAD_CORE), process.execPath, MAIN]
  const environment = { GATEWAY_HOST: nats.address, NATS_TOKEN: nats.token }
  const program = await startProgram({ command, args, environment })
  await waitForLine(program, /processor initialized/)
  return program
}
