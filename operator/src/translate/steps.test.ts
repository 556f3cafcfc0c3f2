import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { observationOf, routerOf, snapshotOf } from './golden-input-under-test.ts'
import { acceptRouters } from './routers/accept-routers.ts'
import { EntryMemory } from './routers/entry-memory.ts'
import { allAtOnce, inTurns, type Steps } from './steps.ts'
import { translate, translationSteps } from './translate.ts'

// Rules: docs/reference/kubernetes.md#delivery

function* tenSteps(): Steps<string> {
  for (let step = 0; step < 10; step += 1) yield
  return 'result'
}

function stepsOf(steps: Steps<unknown>): number {
  let count = 0
  while (steps.next().done !== true) count += 1
  return count
}

/** Values of a Secret that count how often they are read. */
class CountedValues extends Map<string, string> {
  reads = 0
  override get(key: string): string | undefined {
    this.reads += 1
    return super.get(key)
  }
}

/** Returns a gateway with 50 Routers that name one key, and the reads of that key so far. */
function fiftyRouters() {
  const values = new CountedValues([['a', 'key']])
  const routers = Array.from({ length: 50 }, (_, index) =>
    routerOf({
      metadata: { name: `r${index}` },
      spec: {
        path: `/r${index}/`,
        outbound: { url: 'https://res.example/', headers: { 'Api-Key': ['${KEY}'] } },
        env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'own', key: 'a' } } }],
      },
    }),
  )
  const sources = new Map([['llm/Secret/own', { kind: 'found', type: 'Opaque', values } as const]])
  return { snapshot: { ...snapshotOf({}), routers, sources }, reads: () => values.reads }
}

describe('work in steps', () => {
  test('every 10 ms the event loop gets its turn', async () => {
    let [time, others] = [0, 0]
    const turns = {
      now: () => {
        time += 4
        return time
      },
      next: async () => {
        others += 1
      },
    }
    assert.equal(await inTurns(tenSteps(), turns), 'result')
    assert.equal(others, 3)
  })

  test('in the real event loop and in one turn the result is the same', async () => {
    assert.equal(await inTurns(tenSteps()), allAtOnce(tenSteps()))
  })
})

describe('a translation in steps', () => {
  test('no step builds more than one Router', () => {
    const { snapshot, reads } = fiftyRouters()
    const steps = translationSteps(snapshot, new EntryMemory())
    let most = 0
    for (let before = 0; steps.next().done !== true; before = reads()) most = Math.max(most, reads() - before)
    assert.equal(most, 1)
    assert.equal(reads(), 50)
  })

  test('the Routers of a gateway are accepted and judged one in each step', () => {
    const { snapshot } = fiftyRouters()
    assert.ok(stepsOf(acceptRouters(snapshot)) >= 50)
    const translation = translate(snapshot)
    assert.ok(stepsOf(translation.statusSteps(observationOf({}, translation))) >= 50)
  })

  test('after an edit of a Router only this Router is built again', () => {
    const { snapshot, reads } = fiftyRouters()
    const memory = new EntryMemory()
    translate(snapshot, memory)
    const [first, ...others] = snapshot.routers
    assert.ok(first)
    const edited = { ...first, metadata: { ...first.metadata, generation: 2 } }
    translate({ ...snapshot, routers: [edited, ...others] }, memory)
    assert.equal(reads(), 51)
  })
})
