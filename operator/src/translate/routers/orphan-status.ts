import type { Router, RouterStatus } from '@llm-gateway/crds'
import { conditionOf, type Verdict } from '../set-condition.ts'

/** The status of a Router whose gateway isn't there. */
export function orphanStatus(router: Router, now: string): RouterStatus {
  const { name, namespace = router.metadata.namespace } = router.spec.gatewayRef
  const frame = { previous: router.status.conditions, generation: router.metadata.generation, now }
  const message = `LLMGateway ${namespace}/${name} does not exist.`
  const accepted: Verdict = { status: 'False', reason: 'GatewayNotFound', message }
  const resolved: Verdict = { status: 'Unknown', reason: 'NotEvaluated', message: 'There is no gateway to ask.' }
  return {
    rejectedFields: [],
    conditions: [
      conditionOf('Accepted', accepted, frame),
      conditionOf('ResolvedRefs', resolved, frame),
      conditionOf('Programmed', accepted, frame),
    ],
  }
}
