import type { Condition, LlmGateway, LlmGatewayStatus, Processor, Router } from '@llm-gateway/crds'
import type { Statuses } from '../judge-all.ts'
import { readyFrame } from '../observed-generation.ts'
import { unjudgedProcessorStatus } from '../processors/orphan-processor-status.ts'
import { unjudgedStatus } from '../routers/orphan-status.ts'
import { conditionOf, frameOf, type Verdict } from '../set-condition.ts'
import { unreadableVerdict } from '../unreadable.ts'

export type UnreadableGateway = {
  readonly gateway: LlmGateway
  /** The Routers that name the gateway. */
  readonly routers: readonly Router[]
  readonly processors: readonly Processor[]
}

/**
 * Returns the statuses of a gateway whose spec was never read, and of its Routers and Processors. All of these go on as
 * they are.
 */
export function unreadableGatewayStatuses({ gateway, routers, processors }: UnreadableGateway, now: string): Statuses {
  const because: Verdict = { status: 'Unknown', reason: 'GatewayNotAccepted', message: NOT_READ }
  return {
    gateway: { ...gateway.status, ...unreadConditions(gateway, now) },
    routers: routers.map((router) => ({
      router,
      status: { ...router.status, ...unjudgedStatus(router, because, now) },
    })),
    processors: processors.map((processor) => {
      const ready = before(processor.status.conditions) ?? NOT_OBSERVED
      const status = { ...processor.status, ...unjudgedProcessorStatus(processor, { because, ready }, now) }
      return { processor, status }
    }),
  }
}

const NOT_READ = 'This version of the operator can not read the LLMGateway, so the configuration in use stays.'
const NOT_OBSERVED: Verdict = { status: 'Unknown', reason: 'NotObserved', message: NOT_READ }
const UNREACHABLE: Verdict = {
  status: 'Unknown',
  reason: 'PodsUnreachable',
  message: 'The operator does not ask the pods of this LLMGateway.',
}
const UNRESOLVED: Verdict = {
  status: 'Unknown',
  reason: 'ReadFailed',
  message: 'The references of this LLMGateway can not be read.',
}

function unreadConditions(gateway: LlmGateway, now: string): Pick<LlmGatewayStatus, 'conditions'> {
  const frame = frameOf(gateway, now)
  const accepted = unreadableVerdict(gateway) ?? UNRESOLVED
  const ready = before(frame.previous) ?? UNREACHABLE
  return {
    conditions: [
      conditionOf('Accepted', accepted, frame),
      conditionOf('ResolvedRefs', UNRESOLVED, frame),
      conditionOf('Ready', ready, readyFrame(frame, ready, gateway.status)),
      conditionOf('Programmed', accepted, frame),
    ],
  }
}

function before(conditions: readonly Condition[] = []): Verdict | undefined {
  return conditions.find(({ type }) => type === 'Ready')
}
