import assert from 'node:assert/strict'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { type Content, contentOf, watchContent } from './watch-content.ts'

// Rules: docs/reference/configuration-rules.md#files-of-the-other-programs

test('a reading that hangs is reported, is the only one, and the watch goes on once it ends', async () => {
  const stop = new AbortController()
  const hanging = Promise.withResolvers<Content>()
  const events: string[] = []
  let readings = 0
  const read = async (): Promise<Content> => {
    readings += 1
    return readings === 1 ? await hanging.promise : { kind: 'content', digest: 'second' }
  }
  await watchContent({
    file: 'any',
    known: { kind: 'content', digest: 'first' },
    intervalMs: 1,
    readTimeoutMs: 5,
    signal: stop.signal,
    read,
    onUnusable: (code) => {
      events.push(`${code} in reading ${readings}`)
      hanging.resolve({ kind: 'content', digest: 'first' })
    },
    onChange: async () => {
      events.push(`change in reading ${readings}`)
      stop.abort()
    },
  })
  assert.deepEqual(events, ['TIMEOUT in reading 1', 'change in reading 2'])
})

test('the pauses become longer while each reading finds a change, and short again after one that finds none', async () => {
  const pauses: number[] = []
  const digests = ['a', 'b', 'c', 'd', 'e', 'f', 'f', 'g']
  let changes = 0
  await watchContent({
    file: 'any',
    known: { kind: 'content', digest: 'first' },
    intervalMs: 4_000,
    signal: new AbortController().signal,
    read: async () => ({ kind: 'content', digest: digests[pauses.length - 1] ?? '' }),
    wait: async (pauseMs) => pauses.push(pauseMs) <= digests.length,
    onUnusable: () => assert.fail('the file is usable'),
    onChange: async () => {
      changes += 1
    },
  })
  assert.deepEqual(pauses, [4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000, 4_000, 8_000])
  assert.equal(changes, 7)
})

test('the digest of a file of 64 MiB takes turns', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'watched-'))
  const file = join(folder, 'file')
  await writeFile(file, '')
  await truncate(file, 64 * 1024 * 1024)
  await assertShortTurns(50, async () => {
    const longest = watchTurns()
    const content = await contentOf(file)
    assert.equal(content.kind, 'content')
    return longest()
  })
  await rm(folder, { recursive: true })
})

/** Measures the longest turn of the event loop in CPU time of this thread; the returned function ends and returns it. */
function watchTurns(): () => number {
  let [longestMs, isEnded] = [0, false]
  let last = process.threadCpuUsage()
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    last = process.threadCpuUsage()
    if (!isEnded) setImmediate(look)
  }
  setImmediate(look)
  return () => {
    look()
    isEnded = true
    return longestMs
  }
}
