import type { Processor, ProcessorStatus } from '@llm-gateway/crds'
import { observedGeneration, readyFrame } from '../observed-generation.ts'
import { conditionOf, frameOf, type Verdict } from '../set-condition.ts'
import { unreadableVerdict } from '../unreadable.ts'

/** Returns the status of a Processor whose gateway doesn't exist. */
export function orphanProcessorStatus(processor: Processor, now: string): ProcessorStatus {
  const message = `LLMGateway ${processor.spec.gatewayRef.name} does not exist in this namespace.`
  const because: Verdict = { status: 'False', reason: 'GatewayNotFound', message }
  const ready: Verdict = {
    status: 'Unknown',
    reason: 'NotObserved',
    message: 'A Processor without an LLMGateway has no pods.',
  }
  return unjudgedProcessorStatus(processor, { because, ready }, now)
}

/** Returns the conditions of a Processor without a gateway that could judge it. */
export function unjudgedProcessorStatus(
  processor: Processor,
  { because, ready }: { readonly because: Verdict; readonly ready: Verdict },
  now: string,
): Pick<ProcessorStatus, 'conditions' | 'observedGeneration'> {
  const frame = frameOf(processor, now)
  const accepted = unreadableVerdict(processor) ?? because
  const carriedOut = observedGeneration({
    generation: frame.generation,
    ready,
    programmed: accepted,
    whole: false,
  })
  const resolved: Verdict = {
    status: 'Unknown',
    reason: 'ReadFailed',
    message: 'The operator reads no references of a Processor whose LLMGateway it can not read.',
  }
  return {
    ...carriedOut,
    conditions: [
      conditionOf('Accepted', accepted, frame),
      conditionOf('ResolvedRefs', resolved, frame),
      conditionOf('Ready', ready, readyFrame(frame, ready, carriedOut)),
      conditionOf('Programmed', accepted, frame),
    ],
  }
}
