import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Content, watchContent } from './watch-content.ts'

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
