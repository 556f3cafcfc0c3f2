import type { Router, RouterStatus } from '@llm-gateway/crds'
import { conditionOf, frameOf, type Verdict } from '../set-condition.ts'
import { unreadableVerdict } from '../unreadable.ts'
import { routerReady } from './router-status.ts'

/** Returns the status of a Router whose gateway doesn't exist. */
export function orphanStatus(router: Router, now: string): RouterStatus {
  const { name, namespace } = router.spec.gatewayRef
  const message =
    namespace === undefined
      ? `LLMGateway ${router.metadata.namespace}/${name} does not exist; gatewayRef names no other namespace.`
      : `LLMGateway ${namespace}/${name} does not exist.`
  return { rejectedFields: [], ...unjudgedStatus(router, { status: 'False', reason: 'GatewayNotFound', message }, now) }
}

/** Returns the conditions of a Router without a gateway that could judge it. */
export function unjudgedStatus(
  router: Router,
  because: Verdict,
  now: string,
): Pick<RouterStatus, 'conditions' | 'observedGeneration'> {
  const frame = frameOf(router, now)
  const accepted = unreadableVerdict(router) ?? because
  const message = 'The operator reads no references of a Router whose LLMGateway it can not read.'
  const resolved: Verdict = { status: 'Unknown', reason: 'NotEvaluated', message }
  return {
    observedGeneration: frame.generation,
    conditions: [
      conditionOf('Accepted', accepted, frame),
      conditionOf('ResolvedRefs', resolved, frame),
      conditionOf('Programmed', accepted, frame),
      conditionOf('Ready', routerReady(resolved, accepted), frame),
    ],
  }
}
