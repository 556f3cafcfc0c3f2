import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Journal } from '@llm-gateway/test/fake/journal'
import { type WatchOptions, watchConfig } from './watch.ts'

// Rules: docs/reference/configuration-rules.md#reload

const NEVER_MS = 3_600_000
const UNPACED = { leastPauseMs: 0, mostPauseMs: 0 }

type Watched = {
  readonly directory: string
  readonly file: string
  readonly secretsDir: string
  readonly checks: Journal<number>
}

/** Runs `body` with a watch on a file and a SECRETS_DIR, after the watch's first check. */
async function withWatch(
  timings: WatchOptions['timings'],
  body: (place: Watched) => Promise<void>,
  check?: (checks: Journal<number>) => Promise<number | undefined>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'llm-gateway-watch-'))
  const [directory, secretsDir] = [join(root, 'conf'), join(root, 'secrets')]
  await Promise.all([mkdir(directory), mkdir(secretsDir)])
  const file = join(directory, 'gl_config.json')
  await writeFile(file, '{}')
  const checks = new Journal<number>()
  const watch = watchConfig({
    file,
    secretsDir,
    timings: { debounceMs: 1, ...UNPACED, ...timings },
    check: async () => {
      checks.add(performance.now())
      return await check?.(checks)
    },
  })
  try {
    await checks.waitForCount(1)
    await body({ directory, file, secretsDir, checks })
  } finally {
    await watch.close()
    await rm(root, { recursive: true, force: true })
  }
}

const changes: readonly { readonly what: string; change(place: Watched): Promise<void> }[] = [
  { what: 'an edit in place', change: ({ file }) => writeFile(file, '{"version":"1.0.2"}') },
  {
    what: 'an atomic rename',
    change: async ({ directory, file }) => {
      await writeFile(join(directory, 'next'), '{}')
      await rename(join(directory, 'next'), file)
    },
  },
  {
    what: 'a swap of ..data',
    change: async ({ directory }) => {
      await symlink('somewhere', join(directory, '..data_tmp'))
      await rename(join(directory, '..data_tmp'), join(directory, '..data'))
    },
  },
  { what: 'a value of SECRETS_DIR', change: ({ secretsDir }) => writeFile(join(secretsDir, 'AISERVICE_API_KEY'), 'k') },
  { what: 'a file that goes away', change: ({ file }) => rm(file) },
]

for (const { what, change } of changes) {
  test(`${what} is noticed by the directory watch without polling`, () =>
    withWatch({ pollMs: NEVER_MS }, async (place) => {
      const before = place.checks.total
      await change(place)
      await place.checks.waitForCount(before + 1)
    }))
}

test('directories that are removed and created again are found by the poll and watched again', () =>
  withWatch({ pollMs: 5, pollsPerCheck: 1_000_000 }, async (place) => {
    await rm(place.directory, { recursive: true })
    await rm(place.secretsDir, { recursive: true })
    await place.checks.waitForCount(2)
    await mkdir(place.directory)
    await mkdir(place.secretsDir)
    for (const file of [place.file, join(place.secretsDir, 'KEY')]) {
      for (const content of ['{}', '{"version":"1.0.2"}']) {
        const before = place.checks.total
        await writeFile(file, content)
        await place.checks.waitForCount(before + 1)
      }
    }
  }))

test('other files beside the configuration cause no check', () =>
  withWatch({ pollMs: NEVER_MS }, async ({ directory, file, checks }) => {
    const before = checks.total
    await writeFile(join(directory, 'gateway.log'), 'line')
    await writeFile(file, '{"version":"1.0.2"}')
    await checks.waitForCount(before + 1)
    assert.ok(checks.total <= before + 2, 'one edit is one or two events: truncated, written')
  }))

test('checks run one at a time, and a change during a check causes another check', async () => {
  let running = 0
  let most = 0
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await withWatch(
    { pollMs: NEVER_MS },
    async ({ file, checks }) => {
      for (let serial = 0; serial < 50; serial++) await writeFile(file, `{"serial":${serial}}`)
      assert.equal(checks.total, 1)
      release()
      await checks.waitForCount(2)
    },
    async () => {
      most = Math.max(most, ++running)
      await held
      running--
      return undefined
    },
  )
  assert.equal(most, 1)
})

test('a change that becomes due just before the running check ends is checked', async () => {
  const checks = new Journal<number>()
  const watch = watchConfig({
    file: join(tmpdir(), 'nowhere', 'gl_config.json'),
    timings: { debounceMs: 1, pollMs: NEVER_MS, ...UNPACED },
    check: async () => {
      checks.add(performance.now())
      if (checks.total % 2 === 0) return undefined
      watch.nudge()
      // The check ends at the moment of the nudge's own timer. Timers may be early by part of a millisecond, so the
      // test repeats this 600 times.
      await new Promise((resolve) => setTimeout(resolve, 1))
      return undefined
    },
  })
  for (let pairs = 1; pairs <= 600; pairs++) {
    await checks.waitForCount(2 * pairs)
    watch.nudge()
  }
  await watch.close()
})

const repeats: readonly (readonly [what: string, check: (nudge: () => void) => Promise<number | undefined>])[] = [
  ['a change at the end of a check', async (nudge) => void nudge()],
  [
    'a change during a check',
    async (nudge) => {
      nudge()
      // The timer of the change is the earlier one.
      await new Promise((resolve) => setTimeout(resolve, 10))
      return undefined
    },
  ],
  ['a check that asks for another', async () => 1],
]
for (const [what, check] of repeats) {
  test(`${what} causes the next check after the pause of this check`, async () => {
    const steps = new Journal<string>()
    const watch = watchConfig({
      file: join(tmpdir(), 'nowhere', 'gl_config.json'),
      timings: { debounceMs: 1, pollMs: NEVER_MS, leastPauseMs: 2_100, mostPauseMs: 2_100 },
      check: () => {
        steps.add('check')
        // Of the pause of 2,100 ms the next check waits for 100 ms. The order of timers doesn't depend on the machine.
        if (steps.total === 1) setTimeout(() => steps.add('timer of 50 ms'), 50)
        return check(() => watch.nudge())
      },
    })
    await steps.waitForCount(3)
    await watch.close()
    assert.deepEqual(steps.entries.slice(0, 3), ['check', 'timer of 50 ms', 'check'])
  })
}

test('a check is repeated after the time that it returns, and a failed check at the next change', () =>
  withWatch(
    { pollMs: NEVER_MS },
    async ({ file, checks }) => {
      await checks.waitForCount(3)
      await writeFile(file, '{"version":"1.0.2"}')
      await checks.waitForCount(4)
    },
    async (checks) => {
      if (checks.total === 3) throw new Error('broken')
      return checks.total < 3 ? 5 : undefined
    },
  ))

test('nothing is checked after close', async () => {
  const root = await mkdtemp(join(tmpdir(), 'llm-gateway-watch-'))
  let checks = 0
  const watch = watchConfig({ file: join(root, 'gl_config.json'), check: async () => void checks++ })
  await watch.close()
  watch.nudge()
  await writeFile(join(root, 'gl_config.json'), '{}')
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(checks, 0)
  await rm(root, { recursive: true })
})
