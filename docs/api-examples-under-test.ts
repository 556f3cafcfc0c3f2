import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Block, blocksOf } from './generate/blocks.ts'
import { isObject } from './generate/values.ts'

const PAGE = 'reference/web-api.md'
const SHOWN_URL = 'http://localhost:8080'
const MOST_WAIT_MS = 60_000

/** Commands of the page of the JSON API and the answer that the page shows. */
export type Example = {
  readonly group: string
  readonly title: string
  readonly commands: Block
  readonly answer: Block
}

const text = readFileSync(join(import.meta.dirname, PAGE), 'utf8')
const [beginning, ...blocks] = blocksOf(PAGE, text)

/** The groups of requests: the headings of second order with requests below. */
export const groups: readonly string[] = text
  .split(/\n(?=## )/)
  .filter((part) => part.includes('\n### `'))
  .map((part) => /^## (.*)/.exec(part)?.[1] ?? '')

/** All examples, in the order of the page. */
export const examples: readonly Example[] = blocks.flatMap((commands, at) => {
  const answer = blocks[at + 1]
  if (commands.kind !== 'sh' || answer === undefined) return []
  const headings = text
    .split('\n')
    .slice(0, commands.line)
    .filter((line) => line.startsWith('## '))
  const title = `${PAGE}:${commands.line} ${commands.text.split('\n').at(0)?.slice(0, 70)}`
  return [{ group: headings.at(-1)?.slice('## '.length) ?? '', title, commands, answer }]
})

export type ExampleRunner = {
  /** Runs the commands behind the page's first block, and compares their answer with the shown one. */
  run(example: Example): Promise<void>
  close(): void
}

export type RunnerOptions = {
  /** The address of the web interface. */
  readonly url: string
  readonly password: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Creates a runner whose examples share their variables, like the lines that a person types one after another. */
export function createExampleRunner({ url, password, environment }: RunnerOptions): ExampleRunner {
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-web-api-'))
  mkdirSync(join(folder, '.run'))
  writeFileSync(join(folder, '.run/env'), `GUI_SECRET=${password}\n`)
  writeFileSync(join(folder, 'variables'), '')
  const outputOf = async (commands: Block): Promise<string> => {
    const lines = ['set -eu', beginning?.text, '. ./variables', 'set -a', commands.text, 'export -p > variables']
    const script = lines.join('\n').replaceAll(SHOWN_URL, url)
    const options = { cwd: folder, timeout: MOST_WAIT_MS, env: { ...environment } }
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script], options)
    return stdout
  }
  return {
    run: async ({ commands, answer }) => {
      const until = Date.now() + MOST_WAIT_MS
      const shown = valuesOf(answer.kind, answer.text)
      // A record comes a moment after its answer. Changes are made once.
      const isRepeatable = !/ -X |\$FILE|apply/.test(commands.text)
      for (;;) {
        const given = await outputOf(commands)
        const faults = differences(shown, valuesOf(answer.kind, given), '')
        if (faults.length === 0) return
        if (!isRepeatable || Date.now() > until) assert.fail(`${faults.join(', ')}: ${given}`)
        await delay(200)
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Returns the JSON of an answer, or that of all its events. */
function valuesOf(kind: string, output: string): unknown {
  if (kind !== 'events example') return JSON.parse(output)
  return output
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)))
}

/** Returns the places where a real answer lacks what the page shows. Numbers, and texts with digits, may differ. */
function differences(shown: unknown, real: unknown, place: string): readonly string[] {
  if (Array.isArray(shown)) {
    if (!Array.isArray(real)) return [`${place} is no list`]
    if (shown.length === 0 && real.length > 0) return [`${place} is not empty`]
    return shown.flatMap((one, at) => {
      const found = real.map((other) => differences(one, other, `${place}[${at}]`))
      return found.toSorted((first, second) => first.length - second.length)[0] ?? [`${place}[${at}] is missing`]
    })
  }
  if (isObject(shown)) {
    if (!isObject(real)) return [`${place} is no object`]
    return Object.entries(shown).flatMap(([name, member]) =>
      Object.hasOwn(real, name) ? differences(member, real[name], `${place}.${name}`) : [`${place}.${name} is missing`],
    )
  }
  const isSame = mayDiffer(shown) ? typeof shown === typeof real : shown === real
  return isSame ? [] : [`${place} is ${JSON.stringify(real)}`]
}

/** Tells if a value stands for others of its type: a number that is no status, or a text with digits. */
function mayDiffer(value: unknown): boolean {
  return typeof value === 'number' ? value !== 200 : typeof value === 'string' && /\d\d|…|^s1$/.test(value)
}
