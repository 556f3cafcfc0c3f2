import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { watchTasks } from '../work/tasks-under-test.ts'
import { compileInSlices } from './compile.ts'
import { reloadUnderTest, text } from './reload-under-test.ts'

const MIB = 1024 * 1024
/** The longest task of the main thread in milliseconds. */
const LONGEST_MS = 50

const router = (index: number): object => ({
  path: `/team-${index}/chat/`,
  ingress: { headers: { 'Content-Type': ['application/json'], 'Api-Key': ['$KEY'] } },
  outbound: { url: 'https://llm.example/v1/', headers: { Authorization: ['Bearer $KEY'] } },
})
const routers = (count: number): readonly object[] => Array.from({ length: count }, (_, index) => router(index))
const repeated = (item: string, bytes: number): string => Buffer.alloc(bytes - (bytes % item.length), item).toString()
const unknownKeys = (bytes: number): string =>
  `{${Array.from({ length: bytes / 16 }, (_, index) => `"k${String(index).padStart(9, '0')}":1`).join()}}`
const values = { path: '/a/', outbound: { url: 'https://llm.example', headers: { A: Array(1_000_000).fill('x') } } }
const paths = (count: number, length: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `/${String(index).padStart(length - 2, '0')}/`)
const deep = paths(16_000, 1_000)
const wide = paths(55_000, 8)
const listing = (routers: readonly string[]): object => ({
  request: { processors: [[{ ...member(0), routers }]] },
})
const member = (index: number): object => ({ name: `p${index}`, service_bus_topic: 'a.b', timeout: 1 })

type Large = { readonly what: string; readonly file: () => string | Buffer; readonly result: 'ok' | 'failed' }
const files: readonly Large[] = [
  { what: '10,000 routers', file: () => text({ routers: routers(10_000) }), result: 'ok' },
  { what: '10,000 routers, packed', file: () => gzipSync(text({ routers: routers(10_000) })), result: 'ok' },
  { what: '6 MiB of unknown keys', file: () => unknownKeys(6 * MIB), result: 'ok' },
  { what: 'a router with 1,000,000 header values', file: () => text({ routers: [values] }), result: 'ok' },
  { what: 'a text of 64 MiB', file: () => `{"x":"${'x'.repeat(64 * MIB - 8)}"}`, result: 'ok' },
  {
    what: '5,000 processors',
    file: () => text({ request: { processors: Array.from({ length: 5_000 }, (_, index) => [member(index)]) } }),
    result: 'ok',
  },
  {
    what: '20,000 processors in a row',
    file: () => text({ request: { processors: [Array.from({ length: 20_000 }, (_, index) => member(index))] } }),
    result: 'failed',
  },
  {
    what: '2,000,000 empty rows',
    file: () => `{"response":{"processors":[${repeated('[],', 6_000_000)}[]]}}`,
    result: 'failed',
  },
  {
    what: 'a processor with 16 Mi characters of paths, which are routers',
    file: () => text({ routers: deep.map((path) => ({ path, disabled: true })), ...listing(deep) }),
    result: 'ok',
  },
  {
    what: 'a processor with 55,000 paths, which are routers',
    file: () => text({ routers: wide.map((path) => ({ path, outbound: { url: 'http://h' } })), ...listing(wide) }),
    result: 'ok',
  },
  { what: '64 MiB of empty objects', file: () => `{"x":[${repeated('{},', 64 * MIB - 12)}1]}`, result: 'failed' },
  { what: '64 MiB of unknown keys', file: () => unknownKeys(63 * MIB), result: 'failed' },
  {
    what: '2 MiB of invalid routers',
    file: () => `{"routers":[${repeated('{},', 2 * MIB)}1]}`,
    result: 'failed',
  },
  {
    what: '9,500 empty processors in less than 32 KiB',
    file: () => text({ request: { processors: [Array(9_500).fill({})] } }),
    result: 'failed',
  },
  { what: 'a bomb', file: () => gzipSync(Buffer.alloc(65 * MIB, '[')), result: 'failed' },
  { what: 'a file of 65 MiB', file: () => repeated(' ', 65 * MIB), result: 'failed' },
]

for (const { what, file, result } of files) {
  test(`a reload of ${what} keeps every task of the main thread below ${LONGEST_MS} ms of CPU time`, async () => {
    const timings = { settleMs: 1, retryMs: 1, pollMs: 3_600_000 }
    const environment = { KEY: 'planted' }
    await assertShortTurns(LONGEST_MS, async () => {
      await using reload = await reloadUnderTest({ config: { version: '1.0.1' }, environment, timings, compile })
      const before = reload.live.current
      await writeFile(reload.file, file())
      using longest = watchTasks()
      // The first check sees the change. A failed result counts only after `settleMs`, so that a second check is needed.
      for (let tries = 0; tries < 50 && reload.states.total < 2; tries += 1) await reload.check()
      const { ms } = longest
      assert.equal(reload.state.reload.result, result)
      assert.equal(reload.live.current === before, result === 'failed')
      assert.equal(JSON.stringify(reload.lines.entries).includes('planted'), false)
      return ms
    })
  })
}

/** Compiles as the gateway does and returns the checked configuration. */
async function compile(...[checked, digest, slice]: Parameters<typeof compileInSlices>): Promise<typeof checked> {
  await compileInSlices(checked, digest, slice)
  return checked
}

test('after two edits during one reload the last edit is live', async () => {
  const timings = { settleMs: 1, retryMs: 1 }
  await using reload = await reloadUnderTest({ config: { version: '1.0.1' }, timings, compile })
  const edit = (version: string) => writeFile(reload.file, text({ version, routers: routers(2_000) }))
  await edit('1.0.2')
  const first = reload.check()
  await Promise.all([edit('1.0.3'), edit('1.0.4').then(() => edit('1.0.5'))])
  await first
  await edit('1.0.6')
  await reload.states.waitUntil(() => reload.live.current.settings.version === '1.0.6', { what: 'the last edit' })
  assert.equal(reload.state.reload.result, 'ok')
})
