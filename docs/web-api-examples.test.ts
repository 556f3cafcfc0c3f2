import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type AllInOne, startAllInOne } from '@llm-gateway/test/fake/all-in-one'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { type Llm, startLlm } from '@llm-gateway/test/fake/llm'
import { waitForLine } from '@llm-gateway/test/fake/program'
import { type Block, blocksOf } from './generate/blocks.ts'
import { isObject } from './generate/values.ts'

const PAGE = 'reference/web-api.md'
const SHOWN_URL = 'http://localhost:8080'
const PASSWORD = 'password-of-the-docs'
const MOST_WAIT_MS = 60_000

type Example = { readonly commands: Block; readonly answer: Block }

const [beginning, ...rest] = blocksOf(PAGE, readFileSync(join(import.meta.dirname, PAGE), 'utf8'))
const examples = rest.flatMap((commands, at): readonly Example[] => {
  const answer = rest[at + 1]
  return commands.kind === 'sh' && answer !== undefined ? [{ commands, answer }] : []
})

describe('the examples of the JSON API do what the page says, one after another', () => {
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-web-api-'))
  let llm: Llm | undefined
  let all: AllInOne | undefined
  let url = ''
  before(async () => {
    const port = await freePort()
    llm = await startLlm()
    all = await startAllInOne(llm.url, {
      environment: { GUI_SECRET: PASSWORD, AISERVICE_API_KEY: 'key', GATEWAY_API_KEY: 'callers-key' },
      edit: (name, text) =>
        name === 'gui_config.json' ? text.replace('"gui_port": 8080', `"gui_port": ${port}`) : text,
    })
    await waitForLine(all.program, /"web interface initialized"/, MOST_WAIT_MS)
    url = `http://localhost:${port}`
    mkdirSync(join(folder, '.run'))
    writeFileSync(join(folder, '.run/env'), `GUI_SECRET=${PASSWORD}\n`)
    writeFileSync(join(folder, 'variables'), '')
  })
  after(async () => {
    await all?.close()
    await llm?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('each group that needs no cluster has one', () => {
    const page = readFileSync(join(import.meta.dirname, PAGE), 'utf8')
    const groups = page.split(/\n(?=## )/).filter((part) => part.includes('\n### `'))
    assert.ok(groups.length >= 6)
    for (const group of groups) {
      const isCluster = group.startsWith('## Resources')
      assert.equal(
        blocksOf(PAGE, group).some(({ kind }) => kind === 'sh'),
        !isCluster,
        group.slice(0, 40),
      )
    }
  })

  /** Runs a block behind the page's first one, with the variables of the blocks before it. */
  async function run({ text }: Block): Promise<string> {
    const lines = ['set -eu', '. ./variables', beginning?.text, 'set -a', text, 'export -p > variables']
    const script = lines.join('\n').replaceAll(SHOWN_URL, url)
    const options = { cwd: folder, timeout: MOST_WAIT_MS, env: { PATH: process.env.PATH } }
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script], options)
    return stdout
  }

  for (const { commands, answer } of examples)
    test(`${PAGE}:${commands.line} ${commands.text.split('\n').at(0)?.slice(0, 70)}`, async () => {
      const until = Date.now() + MOST_WAIT_MS
      const shown = valuesOf(answer.kind, answer.text)
      // A record comes a moment after its answer. Changes of a file are made once.
      const isRepeatable = !commands.text.includes('$FILE')
      for (;;) {
        const given = await run(commands)
        const faults = differences(shown, valuesOf(answer.kind, given), '')
        if (faults.length === 0) return
        if (!isRepeatable || Date.now() > until) assert.fail(`${faults.join(', ')}: ${given}`)
        await delay(200)
      }
    })
})

/** Returns the JSON of an answer, or that of all its events. */
function valuesOf(kind: string, text: string): unknown {
  if (kind !== 'events example') return JSON.parse(text)
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)))
}

/** Returns the places where a real answer lacks what the page shows. Numbers, and texts with digits, may differ. */
function differences(shown: unknown, real: unknown, place: string): readonly string[] {
  if (Array.isArray(shown)) {
    if (!Array.isArray(real)) return [`${place} is no list`]
    return shown.flatMap((one, at) => {
      const found = real.map((other) => differences(one, other, `${place}[${at}]`))
      return found.toSorted((first, second) => first.length - second.length)[0] ?? [`${place}[${at}] is missing`]
    })
  }
  if (isObject(shown)) {
    if (!isObject(real)) return [`${place} is no object`]
    return Object.entries(shown).flatMap(([name, one]) =>
      Object.hasOwn(real, name) ? differences(one, real[name], `${place}.${name}`) : [`${place}.${name} is missing`],
    )
  }
  const isSame = mayDiffer(shown) ? typeof shown === typeof real : shown === real
  return isSame ? [] : [`${place} is ${JSON.stringify(real)}`]
}

/** Tells if a value stands for others of its type: a number that is no status, or a text with digits. */
function mayDiffer(value: unknown): boolean {
  return typeof value === 'number' ? value !== 200 : typeof value === 'string' && /\d\d|…|^s1$/.test(value)
}
