import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { CALLER_KEY, type ExampleSet, startExampleSet } from '@llm-gateway/test/fake/example-set'
import { startGateway } from '@llm-gateway/test/fake/gateway'
import { blocksOf } from './generate/blocks.ts'
import { commandsOf } from './generate/check-commands.ts'
import { isObject } from './generate/values.ts'

const GATEWAY = 'http://localhost:5380'
const KEY = 'choose-one'

const pages = ['../README.md', ...globSync('**/*.md', { cwd: import.meta.dirname, exclude: ['node_modules', 'dist'] })]
  .map(String)
  .sort()
const commands = pages
  .flatMap((page) => blocksOf(page, readFileSync(join(import.meta.dirname, page), 'utf8')))
  .filter(({ kind }) => kind === 'sh')
  .flatMap(({ page, line, text }) => commandsOf(text).map((command) => ({ place: `${page}:${line}`, command })))
  .filter(({ command }) => command.startsWith('curl ') && command.includes(GATEWAY))

/** test/e2e runs the commands on Kubernetes, from the READMEs with the same text. */
describe('the calls of the documentation are answered by the set that `make run` starts', () => {
  let set: ExampleSet
  before(async () => {
    set = await startExampleSet({ processors: ['contentfilter', 'mock', 'broker'] })
  })
  after(() => set?.close())

  test('there are some', () => {
    assert.ok(commands.length >= 5, String(commands.length))
  })

  for (const { place, command } of commands) {
    test(`${place} ${command.slice(0, 80)}`, async () => {
      const call = command.replaceAll(GATEWAY, set.url.replace(/\/$/, '')).replaceAll(KEY, CALLER_KEY)
      const line = `${call} -s -o /dev/null -w '%{http_code}'`
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line], { timeout: 60_000 })
      assert.match(stdout, statusOf(place))
    })
  }
})

/** Returns the status that the page of a call tells. */
function statusOf(place: string): RegExp {
  // The filter refuses its call.
  if (place.startsWith('tasks/filter.md')) return /^403$/
  // The shipped pool has a member that always fails.
  return place.startsWith('tasks/fail-over.md') ? /^(?:200|502)$/ : /^200$/
}

test('the example of /status has the members of a real one', async (t) => {
  const secretsDir = mkdtempSync(join(tmpdir(), 'llm-gateway-docs-'))
  t.after(() => rmSync(secretsDir, { recursive: true }))
  writeFileSync(join(secretsDir, 'REVISION'), '41')
  await using gateway = await startGateway({ admin: true, secretsDir })
  const page = readFileSync(join(import.meta.dirname, 'reference/configuration-rules.md'), 'utf8')
  const example = blocksOf('', page).find(({ text }) => text.includes('"digest"'))
  const real: unknown = await (await fetch(`${gateway.adminUrl}/status`)).json()
  assert.deepEqual(shapeOf(JSON.parse(example?.text ?? '{}')), shapeOf(real))
})

/** Returns the names and types of nested members, without the objects that count by name. */
function shapeOf(value: unknown): unknown {
  if (!isObject(value)) return typeof value
  const members = Object.entries(value).filter(([name]) => !['rejected_fields', 'lost'].includes(name))
  return Object.fromEntries(members.map(([name, member]) => [name, shapeOf(member)]))
}
