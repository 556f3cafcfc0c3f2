import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { CheckedGlConfig } from '@llm-gateway/conf'
import { Journal } from '@llm-gateway/test/fake/journal'
import fc from 'fast-check'
import { MissingValues } from './missing-values.ts'
import { startReload } from './reload.ts'
import { type Line, loggerInto, reloadUnderTest, swapVolume, text } from './reload-under-test.ts'

// Rules: docs/reference/configuration-rules.md#references, docs/reference/configuration-rules.md#reload

const [FIRST, SECOND] = ['V_0000000000000001', 'V_0000000000000002']
const withKeys = (serial: number, ...names: readonly string[]): object => ({
  version: `1.0.${serial}`,
  routers: names.map((name) => ({
    path: `/${name.toLowerCase()}/`,
    outbound: { url: 'https://llm.example', headers: { 'Api-Key': [`\${${name}}`] } },
  })),
})

test('an unfinished delivery keeps the running configuration and goes live when its value arrives', async () => {
  await using reload = await reloadUnderTest({ config: withKeys(1, FIRST), secrets: { [FIRST]: 'one' } })
  assert.equal(reload.ready, true)
  await writeFile(reload.file, text(withKeys(2, FIRST, SECOND)))
  await reload.states.waitForCount(2)
  const { result, reason } = reload.state.reload
  assert.deepEqual([result, reason, reload.live.current.settings.version], ['waiting', 'VALUES_MISSING', '1.0.1'])
  const waits = reload.lines.entries.filter(({ msg }) => msg === 'configuration waits for values')
  assert.deepEqual(
    waits.map(({ fields }) => fields),
    [{ missing: [SECOND], count: 1 }],
  )
  await writeFile(join(reload.secretsDir, SECOND), 'two')
  await reload.states.waitForCount(3)
  assert.deepEqual([reload.state.reload.result, reload.live.current.settings.version], ['ok', '1.0.2'])
  assert.deepEqual(reload.state.rejectedFields, {})
})

test('at the start an unfinished delivery is not ready but has its settings, until its value arrives', async () => {
  await using reload = await reloadUnderTest({ config: { ...withKeys(1, FIRST), gl_port: 7 } })
  assert.deepEqual([reload.ready, reload.settings.gl_port, reload.state.digest], [false, 7, ''])
  assert.equal(reload.state.reload.result, 'waiting')
  const stopped = new AbortController()
  const never = assert.rejects(reload.whenReady(stopped.signal), { name: 'AbortError' })
  stopped.abort()
  await never
  await assert.rejects(reload.whenReady(stopped.signal), { name: 'AbortError' })
  await writeFile(join(reload.secretsDir, FIRST), 'one')
  await reload.whenReady()
  await reload.states.waitForCount(2)
  assert.equal(reload.ready, true)
  await reload.whenReady(stopped.signal)
  assert.match(reload.state.digest, /^sha256:[0-9a-f]{64}$/)
  assert.equal(reload.state.routers.active, 2)
})

test('a value that never arrives rejects its routers after the time limit and delays no later edit', async () => {
  await using reload = await reloadUnderTest({ config: withKeys(1), timings: { giveUpMissingMs: 100 } })
  await writeFile(reload.file, text(withKeys(2, FIRST)))
  await reload.states.waitForCount(3)
  assert.deepEqual(
    reload.states.entries.map((state) => state.reload.result),
    ['ok', 'waiting', 'ok'],
  )
  assert.deepEqual(Object.values(reload.state.rejectedFields), ['required:'])
  await writeFile(reload.file, text(withKeys(3, FIRST)))
  await reload.states.waitForCount(4)
  assert.deepEqual([reload.state.reload.result, reload.live.current.settings.version], ['ok', '1.0.3'])
  await writeFile(join(reload.secretsDir, FIRST), 'one')
  await reload.states.waitForCount(5)
  assert.deepEqual(reload.state.rejectedFields, {})
})

test('a value that was missing in an edit taken back is waited for anew in a later edit', async (t) => {
  const giveUpMissingMs = 60_000
  const now = performance.now.bind(performance)
  let passedMs = 0
  t.mock.method(performance, 'now', () => now() + passedMs)
  await using reload = await reloadUnderTest({ config: withKeys(1), timings: { giveUpMissingMs } })
  await writeFile(reload.file, text(withKeys(2, FIRST)))
  await reload.states.waitForCount(2)
  await writeFile(reload.file, text(withKeys(1)))
  await reload.lines.waitFor(({ msg }) => msg === 'configuration file matches the running configuration again')
  passedMs = giveUpMissingMs
  await reload.check()
  await writeFile(reload.file, text(withKeys(3, FIRST)))
  await reload.check()
  await reload.check()
  assert.equal(reload.state.reload.result, 'waiting')
})

test('each missing value is waited for 30 s, counted from when it was first missing', () => {
  const missing = new MissingValues(30_000)
  const steps: readonly (readonly [readonly string[], number, number])[] = [
    [['a'], 0, 30_000],
    [['a'], 20_000, 10_000],
    [['a', 'b'], 20_000, 30_000],
    [['a'], 31_000, 0],
    [['a', 'b'], 31_000, 30_000],
    [['a', 'b'], 61_000, 0],
  ]
  for (const [names, at, expected] of steps) assert.equal(missing.waitMs(names, at), expected, `${names} at ${at}`)
  missing.clear()
  assert.equal(missing.waitMs(['a'], 70_000), 30_000)
})

test('in more than 200 volume swaps a configuration never gets another delivery’s value', async () => {
  const root = await mkdtemp(join(tmpdir(), 'llm-gateway-swaps-'))
  const volume = join(root, 'volume')
  await mkdir(volume)
  const swap = (serial: number): Promise<void> =>
    swapVolume(volume, `..${serial}`, {
      'gl_config.json': text(withKeys(serial, 'KEY')),
      KEY: String(serial),
      REVISION: String(serial),
    })
  await swap(1)
  const pairs: string[] = []
  const lines = new Journal<Line>()
  const compile = async (config: CheckedGlConfig): Promise<string> => {
    const [router] = config.routers
    const value = router?.kind === 'active' ? router.outbound.headers[0]?.values[0] : 'none'
    pairs.push(`${config.settings.version} ${value}`)
    return config.settings.version
  }
  const timings = { debounceMs: 0, pollMs: 20, settleMs: 5, giveUpMissingMs: 60_000 }
  const logger = loggerInto(lines)
  const file = join(volume, 'gl_config.json')
  const reload = await startReload({ file, secretsDir: volume, environment: {}, logger, compile, timings })
  try {
    let swapping = true
    const checks = (async () => {
      while (swapping) await reload.check()
    })()
    let last = 1
    // On a machine where swaps are faster than checks more of them follow, so that some are seen.
    while (last < 200 || (new Set(pairs).size <= 10 && last < 20_000)) await swap(++last)
    swapping = false
    await checks
    while (reload.live.current !== `1.0.${last}`) await reload.check()
    assert.equal(reload.state.valuesRevision, String(last))
    for (const pair of pairs) assert.match(pair, /^1\.0\.(\d+) \1$/)
    assert.ok(new Set(pairs).size > 10, `only ${new Set(pairs).size} of ${last} were seen`)
    const errors = lines.entries.filter(({ level }) => level === 'ERROR')
    assert.deepEqual(errors, [])
  } finally {
    await reload.close()
    await rm(root, { recursive: true })
  }
})

test('a reload on any bytes keeps or replaces the configuration, and the next good file goes live', async () => {
  await using reload = await reloadUnderTest({ config: withKeys(0), timings: { settleMs: 0, pollMs: 3_600_000 } })
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const bytes = fc.oneof(
    fc.uint8Array(),
    fc.json().map((json) => new TextEncoder().encode(json)),
    fc.json().map((json) => gzipSync(json)),
    fc.uint8Array().map((array) => gzipSync(array).subarray(0, 15)),
    fc
      .constantFrom('{"routers":[null,1,{"path":"/a/"}]}', '{"__proto__":{"gl_port":1}}', '{"version":"9.9.9"}', deep)
      .map((json) => new TextEncoder().encode(json)),
  )
  let serial = 0
  await fc.assert(
    fc.asyncProperty(bytes, async (content) => {
      const before = reload.live.current
      await writeFile(reload.file, content)
      await reload.check()
      await reload.check()
      const { result } = reload.state.reload
      if (result === 'failed') assert.equal(reload.live.current, before)
      else assert.equal(result, 'ok')
      await writeFile(reload.file, text(withKeys(++serial)))
      await reload.check()
      assert.equal(reload.live.current.settings.version, `1.0.${serial}`)
    }),
    { numRuns: 150 },
  )
})
