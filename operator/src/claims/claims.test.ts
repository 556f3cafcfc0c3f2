import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { type LlmGateway, llmGatewaySchema } from '@llm-gateway/crds'
import { Store, type WriteOutcome } from '@llm-gateway/kube'
import { type ClaimChange, createClaims } from './claims.ts'

const A = { namespace: 'a', name: 'operator' }
const B = { namespace: 'b', name: 'operator' }
const SILENT_MS = 60_000

function gatewayOf(status: object): LlmGateway {
  const metadata = { name: 'main', namespace: 'llm', uid: 'u', resourceVersion: '1', generation: 1 }
  return llmGatewaySchema.parse({
    metadata: { ...metadata, creationTimestamp: '2026-11-21T01:00:00Z' },
    spec: {},
    status,
  })
}

/** Makes the claims of B on one gateway, with a Lease of A as `lease` returns it and a clock set by hand. */
function scene(status: object, { own }: { readonly own?: typeof B } = { own: B }) {
  const state = {
    now: 0,
    lease: (): WriteOutcome | undefined => undefined,
    refusal: undefined as WriteOutcome | undefined,
    keeps: true,
  }
  const gateways = new Store<LlmGateway>()
  gateways.put(gatewayOf(status))
  const writes: unknown[] = []
  const news: string[] = []
  const lines: string[] = []
  const claims = createClaims({
    client: {
      get: async () => state.lease(),
      merge: async (_, patch) => {
        writes.push(patch)
        if (state.refusal !== undefined) return state.refusal
        const { status: written } = JSON.parse(JSON.stringify(patch))
        const next = gatewayOf(state.keeps ? { ...status, ...written } : status)
        return { kind: 'written', object: { ...next, metadata: { ...next.metadata, resourceVersion: '2' } } }
      },
    },
    gateways,
    own,
    report: (_, { namespace }, what: ClaimChange) => void news.push(`${namespace} ${what}`),
    logger: createLogger({ service: 'test', write: (line) => lines.push(line) }),
    clock: () => state.now,
  })
  const claim = () => {
    const gateway = gateways.get('llm/main')
    assert.ok(gateway)
    return claims.claim(gateway)
  }
  return { state, writes, news, lines, claims, claim, operator: () => gateways.get('llm/main')?.status.operator }
}
function renewed(renewTime: string, spec: object = {}): () => WriteOutcome {
  const lease = { holderIdentity: 'pod', leaseDurationSeconds: 15, renewTime, ...spec }
  return () => ({ kind: 'written', object: { metadata: { resourceVersion: '1' }, spec: lease } })
}

test('an operator writes its Lease into an unclaimed LLMGateway once, with the resourceVersion that it read', async () => {
  const { claim, writes, operator } = scene({})
  assert.equal(await claim(), undefined)
  assert.deepEqual(writes, [{ metadata: { uid: 'u', resourceVersion: '1' }, status: { operator: B } }])
  assert.deepEqual(operator(), B)
  assert.equal(await claim(), undefined)
  assert.equal(writes.length, 1)
})

test('an LLMGateway of another operator is left alone while its Lease is renewed, and that is reported once', async () => {
  const { claim, claims, writes, news, state } = scene({ operator: A })
  for (let at = 0; at < 10 * SILENT_MS; at += SILENT_MS / 2) {
    state.now = at
    state.lease = renewed(`at ${at}`)
    assert.equal(await claim(), 10_000)
  }
  assert.deepEqual([writes, news, claims.elsewhere], [[], ['a elsewhere'], 1])
})

test('a Lease that this process saw unchanged for a minute counts as expired, whatever its times say', async () => {
  const { claim, claims, writes, news, state, operator } = scene({ operator: A })
  state.lease = renewed('1999-01-01T00:00:00.000000Z')
  for (const at of [0, 30_000, SILENT_MS - 1]) {
    state.now = at
    assert.equal(await claim(), 10_000, `${at}`)
  }
  state.now = SILENT_MS + 1_000
  assert.equal(await claim(), undefined)
  assert.deepEqual([writes.length, operator(), claims.elsewhere], [1, B, 0])
  assert.deepEqual(news, ['a elsewhere', 'a taken over'])
})

test('a released Lease expires as late as an unrenewed Lease, so that a restarted operator can take it up again', async () => {
  const { claim, state } = scene({ operator: A })
  state.lease = renewed('x', { holderIdentity: '', leaseDurationSeconds: 1 })
  assert.equal(await claim(), 10_000)
  state.now = SILENT_MS - 1
  assert.equal(await claim(), 10_000)
  state.now += 2
  assert.equal(await claim(), 10_000, 'the Lease was read a moment ago')
  state.now += 2_000
  assert.equal(await claim(), undefined)
})

test('a Lease with a longer duration expires after that duration', async () => {
  const { claim, state } = scene({ operator: A })
  state.lease = renewed('x', { leaseDurationSeconds: 600 })
  assert.equal(await claim(), 10_000)
  state.now = 599_000
  assert.equal(await claim(), 10_000)
  state.now = 601_000
  assert.equal(await claim(), undefined)
})

test('a deleted Lease counts as expired at once; an unreadable Lease never does, and that is reported', async () => {
  const gone = scene({ operator: A })
  assert.equal(await gone.claim(), undefined)
  assert.deepEqual(gone.operator(), B)
  const forbidden = scene({ operator: A })
  forbidden.state.lease = () => ({ kind: 'refused', status: 403, code: 'Forbidden' })
  for (const at of [0, 10 * SILENT_MS]) {
    forbidden.state.now = at
    assert.equal(await forbidden.claim(), 10_000)
  }
  assert.deepEqual([forbidden.writes, forbidden.news], [[], ['a unreadable']])
})

test('of two operators that claim at once the slower reads again and then leaves the LLMGateway alone', async () => {
  const { claim, state, writes } = scene({})
  state.refusal = { kind: 'refused', status: 409, code: 'Conflict' }
  assert.equal(await claim(), 200)
  assert.equal(await claim(), 200)
  assert.equal(writes.length, 2)
})

for (const [what, spoil] of [
  ['is refused', { refusal: { kind: 'refused', status: 422, code: 'Invalid' } as const }],
  ['is not kept, as by an older CRD', { keeps: false }],
] as const) {
  test(`a claim that ${what} delays nothing, is logged once and is not tried again`, async () => {
    const { claim, state, writes, lines } = scene({})
    Object.assign(state, spoil)
    assert.equal(await claim(), undefined)
    assert.equal(await claim(), undefined)
    assert.deepEqual([writes.length, lines.length], [1, 1])
  })
}

for (const status of [429, 500, 503]) {
  test(`a claim that an API server in trouble answers with ${status} is tried again at the next reconciliation`, async () => {
    const { claim, state, operator } = scene({})
    state.refusal = { kind: 'refused', status, code: `${status}` }
    assert.equal(await claim(), undefined)
    state.refusal = undefined
    assert.equal(await claim(), undefined)
    assert.deepEqual(operator(), B)
  })
}

test('an LLMGateway that was deleted before its claim is looked at again, without a warning', async () => {
  const { claim, state, lines } = scene({})
  state.refusal = { kind: 'refused', status: 404, code: 'NotFound' }
  assert.equal(await claim(), 200)
  assert.deepEqual(lines, [])
})

test('an operator without a Lease claims nothing and leaves LLMGateways with a Lease alone', async () => {
  const free = scene({}, {})
  const taken = scene({ operator: A }, {})
  taken.state.lease = renewed('x')
  assert.deepEqual([await free.claim(), await taken.claim()], [undefined, 10_000])
  taken.state.now = 2 * SILENT_MS
  assert.equal(await taken.claim(), undefined)
  assert.deepEqual([free.writes, taken.writes], [[], []])
})
