import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BusAddress } from './bus-client.ts'
import { type Program, startProgram, waitForLine } from './program.ts'

const ROOT = join(import.meta.dirname, '../..')
const RE2 = join(ROOT, 'node_modules/re2/build/Release/re2.node')
const START_MS = 60_000

/** Every processor's folder, by the last part of its subject. */
export const PROCESSOR_FOLDERS = {
  charactercount: 'character-count',
  tokenizer: 'tokenizer',
  mock: 'mock',
  regex: 'regex',
  broker: 'broker',
  contentfilter: 'content-filter',
  nlpentities: 'nlp-entities',
  tokencounter: 'token-counter',
} as const

export type ProcessorName = keyof typeof PROCESSOR_FOLDERS
export const PROCESSOR_NAMES: readonly ProcessorName[] = [
  'charactercount',
  'tokenizer',
  'mock',
  'regex',
  'broker',
  'contentfilter',
  'nlpentities',
  'tokencounter',
]

export type ProcessorProgramOptions = {
  /** Settings in addition to those of the bus. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Variables in addition to those of the bus. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts a processor's `main.ts` as a process. The processor is subscribed when the promise resolves. */
export async function startProcessorProgram(
  name: ProcessorName,
  bus: BusAddress,
  { settings = {}, environment = {} }: ProcessorProgramOptions = {},
): Promise<Program> {
  const directory = await mkdtemp(join(tmpdir(), `llm-gateway-${name}-`))
  const file = join(directory, `${name}_config.json`)
  const service_bus = { hostname: bus.address, token: bus.token ?? '' }
  await writeFile(file, JSON.stringify({ service_bus, ...settings }))
  const program = await startProgram({
    command: process.execPath,
    args: [join(ROOT, 'processors', PROCESSOR_FOLDERS[name], 'src/main.ts'), '-o', file],
    environment: { GATEWAY_HOST: bus.address, NATS_TOKEN: bus.token, ...environment },
  })
  const stop: Program['stop'] = async (graceMs) => {
    const exit = await program.stop(graceMs)
    await rm(directory, { recursive: true, force: true })
    return exit
  }
  try {
    await waitForLine(program, /processor initialized/, START_MS)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    ...program,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
    },
  }
}

/** Returns the reason why a processor can't run here; undefined if it can, or must because this is CI. */
export function whyNoProcessor(name: ProcessorName, environment: NodeJS.ProcessEnv): string | undefined {
  if (name !== 'regex' || environment.CI === 'true' || existsSync(RE2)) return undefined
  return 're2 is not built: node tools/re2/main.ts'
}
