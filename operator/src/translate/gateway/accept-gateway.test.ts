import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LlmGateway } from '@llm-gateway/crds'
import { observationOf, snapshotOf } from '../golden-input-under-test.ts'
import { translate } from '../translate.ts'

// Rules: docs/reference/kubernetes.md#llmgateway

function gatewayOf(name: string, hour: number, spec: object): LlmGateway {
  const metadata = { name, namespace: name, uid: name, creationTimestamp: `2026-11-21T0${hour}:00:00Z` }
  return snapshotOf({ gateway: { metadata, spec } }).gateway
}

/** Returns the gateways with the statuses that the operator writes, one after the other. */
function judged(gateways: readonly LlmGateway[]): readonly LlmGateway[] {
  let now = gateways
  for (const { metadata } of gateways) {
    const otherGateways = now.filter((other) => other.metadata.uid !== metadata.uid)
    now = now.map((gateway) => {
      if (gateway.metadata.uid !== metadata.uid) return gateway
      const translation = translate({ ...snapshotOf({}), gateway, otherGateways })
      return { ...gateway, status: translation.statuses(observationOf({}, translation)).gateway }
    })
  }
  return now
}

/** Returns the reason of Accepted by name. */
function reasons(gateways: readonly LlmGateway[]): object {
  const accepted = ({ status }: LlmGateway) => status.conditions?.find(({ type }) => type === 'Accepted')
  return Object.fromEntries(gateways.map((gateway) => [gateway.metadata.name, accepted(gateway)?.reason]))
}

const bus = { type: 'External', servers: ['nats.bus.svc'], tokenSecretRef: { name: 'nats', key: 'token' } }
const claims = [
  ['gatewayId', 'GatewayIdConflict', { gatewayId: 'GATEWAY9' }, { gatewayId: 'GATEWAY8' }],
  ['external bus and prefix', 'BusConflict', { bus }, { bus: { ...bus, prefix: 'other' } }],
] as const

for (const [what, conflict, wanted, before] of claims) {
  for (const first of ['older', 'younger']) {
    test(`an older gateway can not take the ${what} of a younger one by an edit; the ${first} one is judged first`, () => {
      const edited = (spec: object, gateways: readonly LlmGateway[]) =>
        gateways.map((gateway) =>
          gateway.metadata.name === 'older' ? { ...gatewayOf('older', 1, spec), status: gateway.status } : gateway,
        )
      const both = [gatewayOf('older', 1, before), gatewayOf('younger', 2, wanted)]
      const start = judged(first === 'older' ? both : both.toReversed())
      assert.deepEqual(reasons(start), { older: 'Accepted', younger: 'Accepted' })
      const taken = judged(edited(wanted, start))
      assert.deepEqual(reasons(taken), { older: conflict, younger: 'Accepted' })
      assert.deepEqual(reasons(judged(taken)), { older: conflict, younger: 'Accepted' }, 'nor by waiting')
      assert.deepEqual(reasons(judged(taken.filter(({ metadata }) => metadata.name === 'older'))), {
        older: 'Accepted',
      })
    })
  }

  test(`of two new gateways with one ${what} the older has it`, () => {
    const both = [gatewayOf('younger', 2, wanted), gatewayOf('older', 1, wanted)]
    assert.deepEqual(reasons(judged(both)), { older: 'Accepted', younger: conflict })
    assert.deepEqual(reasons(judged(judged(both))), { older: 'Accepted', younger: conflict })
  })
}
