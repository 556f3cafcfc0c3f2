import type { Processor, ProcessorStatus } from '@llm-gateway/crds'
import { conditionOf, type Verdict } from '../set-condition.ts'

/** The status of a Processor whose gateway isn't there. */
export function orphanProcessorStatus(processor: Processor, now: string): ProcessorStatus {
  const frame = { previous: processor.status.conditions, generation: processor.metadata.generation, now }
  const message = `LLMGateway ${processor.spec.gatewayRef.name} does not exist in this namespace.`
  const accepted: Verdict = { status: 'False', reason: 'GatewayNotFound', message }
  const resolved: Verdict = { status: 'Unknown', reason: 'ReadFailed', message: 'There is no gateway to read for.' }
  const ready: Verdict = { status: 'Unknown', reason: 'NotObserved', message: 'Nothing runs of it.' }
  return {
    conditions: [
      conditionOf('Accepted', accepted, frame),
      conditionOf('ResolvedRefs', resolved, frame),
      conditionOf('Ready', ready, frame),
      conditionOf('Programmed', accepted, frame),
    ],
  }
}
