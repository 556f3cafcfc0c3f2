import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertShortTurns } from '@llm-gateway/test/fake/short-turns'
import { watchTurns } from '../fixture/watch-turns.ts'
import { LivePages } from './live-pages.ts'
import type { NamedRecord } from './record-file.ts'

const MIB = 1024 * 1024
/** As many pages as may watch. */
const PAGES = 50
const LONGEST_TURN_MS = 50

/** A record whose text takes long to be made lower case. */
function recordOf(bytes: number, id = 's1'): NamedRecord {
  const payload = 'Ж'.repeat((bytes - 200) / 2)
  return { id, bytes: Buffer.from(`{"request":{"gl_path":"/x/","ingress_payload":"${payload}"},"response":{}}`) }
}

function scene() {
  const listeners = new Set<(record: NamedRecord) => void>()
  const listen = (receive: (record: NamedRecord) => void) => {
    listeners.add(receive)
    return () => void listeners.delete(receive)
  }
  const tell = (record: NamedRecord): void => {
    for (const receive of listeners) receive(record)
  }
  return { listeners, pages: new LivePages({ listen }), tell }
}

for (const [what, bytes] of [
  ['a record of 1 MiB', MIB],
  ['a record of 8 MiB', 8 * MIB],
] as const) {
  test(`${what} that ${PAGES} pages search for a text holds up nobody`, async () => {
    await assertShortTurns(LONGEST_TURN_MS, async () => {
      const { pages, tell } = scene()
      let shown = 0
      const all = Promise.withResolvers<void>()
      const show = (): void => {
        shown += 1
        if (shown === PAGES) all.resolve()
      }
      // The text is at the end of the record, and in another case where the record is folded.
      const text = bytes > MIB ? '"response"' : '"RESPONSE"'
      const stops = Array.from({ length: PAGES }, () => pages.add({ filter: { text }, show, skip: () => undefined }))
      const record = recordOf(bytes)
      using turns = watchTurns()
      tell(record)
      await all.promise
      for (const stop of stops) stop()
      return turns.longestMs
    })
  })
}

test('records beyond the bytes that wait are counted on each page, and pages see each of the others once', async () => {
  const { pages, tell, listeners } = scene()
  const seen: string[] = []
  let skipped = 0
  const last = Promise.withResolvers<void>()
  const stop = pages.add({
    filter: {},
    show: ({ id }) => {
      seen.push(id)
      if (seen.length + skipped === 100) last.resolve()
    },
    skip: () => {
      skipped += 1
    },
  })
  const bytes = recordOf(MIB).bytes
  for (let index = 0; index < 100; index += 1) tell({ id: `s${index}`, bytes })
  await last.promise
  assert.ok(skipped >= 100 - 33, `${skipped} skipped`)
  assert.equal(new Set(seen).size, seen.length)
  stop()
  assert.equal(listeners.size, 0)
})
