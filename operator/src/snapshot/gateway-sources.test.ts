import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceKey } from '../model/snapshot.ts'
import { inTurns } from '../translate/steps.ts'
import { GatewaySources } from './gateway-sources.ts'
import { heldSource } from './held-sources.ts'
import type { Reading, ReadSource } from './reading-lane.ts'
import type { WantedSource } from './wanted-sources.ts'

// Rules: docs/reference/kubernetes.md#variables

const NAMES = ['own', 'slow'] as const
type Name = (typeof NAMES)[number]

function keyOf(name: string): string {
  return sourceKey('llm', 'Secret', name)
}

/**
 * Makes the sources of a gateway with two Secrets in a cluster in which tests change versions; undefined: there is no
 * such Secret. A read of `own` is answered at once, a read of `slow` once `answer` is called. `watch` holds the versions
 * that the watch brought.
 */
function scene() {
  const versions = new Map<string, string | undefined>([
    ['own', '1'],
    ['slow', '1'],
  ])
  const watch = new Map(versions)
  const reads: string[] = []
  const waiting: (() => void)[] = []
  const late = { count: 0 }
  const readingOf = ({ place: { name }, toRead, turn }: ReadSource): Reading => {
    const resourceVersion = versions.get(name)
    if (resourceVersion === undefined) return 'missing'
    const values = new Map([['k', `${name} ${resourceVersion}`]])
    return heldSource({ kind: 'found', type: '', values }, { resourceVersion, turn, keys: toRead })
  }
  const sources = new GatewaySources({
    versionOf: ({ name }) => watch.get(name),
    charactersLeft: () => 1_000_000,
    read: async (one) => {
      reads.push(one.place.name)
      const reading = readingOf(one)
      if (one.place.name === 'slow') await new Promise<void>((resolve) => waiting.push(resolve))
      return reading
    },
    readLate: () => {
      late.count += 1
    },
  })
  const wanted = new Map(NAMES.map((name) => [keyOf(name), wantedAt(name)]))
  let turn = 0
  /** Begins a pass that waits for the reads until `patience` resolves. */
  const pass = async (patience: Promise<void>) => {
    turn += 1
    await inTurns(sources.plan(wanted, turn))
    await sources.inTime(() => patience)
    const results = await inTurns(sources.results())
    return NAMES.map((name) => {
      const source = results.get(keyOf(name))
      return source?.kind === 'found' ? source.values.get('k') : source?.kind
    })
  }
  const change = (name: Name, version: string | undefined) => {
    versions.set(name, version)
    watch.set(name, version)
  }
  const answer = async () => {
    await until(() => waiting.length > 0)
    waiting.shift()?.()
  }
  /** Reads `slow` for a pass that ends before the answer. */
  const readLate = async () => {
    assert.deepEqual(await pass(ENDED), ['pending', 'pending'])
    await answer()
    await until(() => late.count === 1)
  }
  return { pass, change, answer, readLate, versions, reads }
}

function wantedAt(name: string): WantedSource {
  const place = { kind: 'Secret', namespace: 'llm', name } as const
  return { place, since: 1, awaited: false, keys: new Map([['k', 100]]), own: new Set() }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

const ENDED = Promise.resolve()
const ENDLESS = new Promise<void>(() => undefined)

const CHANGES: readonly { what: string; before: string | undefined; after: string | undefined }[] = [
  { what: 'rotated', before: '1', after: '2' },
  { what: 'created', before: undefined, after: '2' },
  { what: 'deleted', before: '1', after: undefined },
]

for (const { what, before, after } of CHANGES) {
  test(`a Secret that is ${what} beside a slow read is read again once that read has ended`, async () => {
    const { pass, change, answer } = scene()
    change('own', before)
    assert.deepEqual(await pass(ENDED), ['pending', 'pending'])
    change('own', after)
    const second = pass(ENDLESS)
    await answer()
    assert.deepEqual(await second, [after === undefined ? 'missing' : `own ${after}`, 'slow 1'])
  })
}

for (const [version, expected] of [
  ['2', 'slow 2'],
  [undefined, 'missing'],
] as const) {
  test(`a late reading counts for a pass although the watch lags behind it: ${expected}`, async () => {
    const { pass, answer, readLate, versions, reads } = scene()
    versions.set('slow', version)
    await readLate()
    assert.deepEqual(await pass(ENDED), ['own 1', expected])
    assert.deepEqual(reads, ['own', 'slow'])
    const third = pass(ENDLESS)
    await answer()
    assert.deepEqual(await third, ['own 1', expected], 'each further pass reads again')
    assert.deepEqual(reads, ['own', 'slow', 'slow'])
  })
}

test('a late reading does not count where the watch has brought another version since', async () => {
  const { pass, change, answer, readLate } = scene()
  await readLate()
  change('slow', '2')
  const second = pass(ENDLESS)
  await answer()
  assert.deepEqual(await second, ['own 1', 'slow 2'])
})
