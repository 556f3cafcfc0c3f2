import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY, mockUnderTest } from './mock-under-test.ts'

const SEGMENTS = ['pool', 'gpt4', 'a', 'aa', '__proto__', 'constructor', 'mock', '.a', '~']
const RUNS = 300
const STEPS = 40

/**
 * Finds a router in the simplest way: the longest router path that the path begins with; none when the path only lacks
 * the last slash of a router (docs/reference/http.md#paths).
 */
function routerOf(routers: readonly string[], path: string): string | undefined {
  const fitting = routers.filter((router) => path.startsWith(router))
  return routers.includes(`${path}/`) ? undefined : fitting.sort((a, b) => b.length - a.length)[0]
}

test('recordings of routers never mix: any set of nested paths, recorded in any order, replayed in between', async () => {
  const random = seededRandom(4)
  for (let run = 0; run < RUNS; run += 1) {
    const paths = Array.from({ length: 6 }, () => somePath(random))
    const { record, replay } = mockUnderTest()
    const last = new Map<string, string>()
    for (let step = 0; step < STEPS; step += 1) {
      const router = pick(paths, random)
      if (random() < 0.4 && !router.startsWith('/mock/')) {
        last.set(router, `${router} ${step}`)
        await record(router, last.get(router))
        continue
      }
      await checkReplay(router, step)
    }

    /** Checks a call's replay, through the replay router of that router or through the only replay router, `/mock/`. */
    async function checkReplay(router: string, step: number): Promise<void> {
      const rest = pick(['', 'chat/completions', 'gpt4/', 'a', 'aa/x'], random)
      const single = random() < 0.5
      const called = routerOf(single ? [...last.keys()] : paths, `${router}${rest}`)
      if (called === undefined) return
      const subpath = `${router}${rest}`.slice(single ? 1 : called.length)
      const replayed = await replay(single ? '/mock/' : `/mock${called}`, subpath)
      const expected = last.get(called) ?? EMPTY
      const context = `run ${run} step ${step}: ${router}${rest} of ${JSON.stringify([...last.keys()])}`
      assert.deepEqual(replayed.payload, expected, context)
      assert.deepEqual(replayed.control, last.has(called) ? called : EMPTY, context)
    }
  }
})

test('routers recorded and replayed in parallel, each by its own callers, never mix', async () => {
  const paths = ['/', '/pool/', '/pool/gpt4/', '/pool/gpt4/a/', '/pool/gpt/', '/p/']
  const { record, replay } = mockUnderTest({ wait: () => new Promise((resolve) => setImmediate(resolve)) })
  for (const path of paths) await record(path, { of: path, turn: -1 })
  const callers = paths.map(async (path) => {
    for (let turn = 0; turn < 100; turn += 1) {
      const recorded = record(path, { of: path, turn })
      const { payload, control } = await replay(`/mock${path}`)
      await recorded
      assert.deepEqual(payload, { of: path, turn })
      assert.equal(control, path)
    }
  })
  await Promise.all(callers)
})

function somePath(random: () => number): string {
  const segments = Array.from({ length: Math.floor(random() * 4) }, () => pick(SEGMENTS, random))
  return segments.length === 0 ? '/' : `/${segments.join('/')}/`
}

function pick<T>(list: readonly [T, ...T[]] | readonly T[], random: () => number): T {
  const [first] = list
  const found = list[Math.floor(random() * list.length)] ?? first
  if (found === undefined) throw new Error('an empty list')
  return found
}

/** Makes a random function with the same numbers in every run. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
