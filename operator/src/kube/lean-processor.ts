import type { Processor } from '@llm-gateway/crds'
import { configBytes, configFault, NO_ROOM } from '../translate/processors/custom-config.ts'

/** Stand for the configurations of all Processors that are refused for them: one object for each reason. */
const REFUSED: readonly Readonly<Record<string, unknown>>[] = [
  { deep: nested(200) },
  { many: Array<object>(50_000).fill([]) },
  { long: 'x'.repeat(1024 * 1024) },
]

/**
 * Returns a Processor without a configuration that no program ever gets. 1.4 MiB of `[]` take 25 MB as objects, and the
 * operator keeps all Processors of the cluster. Its stand-in is refused with the same message.
 */
export function leanProcessor(processor: Processor): Processor {
  const { custom } = processor.spec
  const fault = configFault(custom?.config)
  const config = fault === undefined ? undefined : REFUSED.find((one) => configFault(one) === fault)
  return config === undefined ? processor : withConfig(processor, config)
}

/** Counts what the configuration of a Processor takes in the caches. */
export function roomOfProcessor({ spec: { custom } }: Processor): number {
  return configBytes(custom?.config)
}

/** Returns a Processor without its configuration, for a namespace without room. It is refused. */
export function processorWithoutRoom(processor: Processor): Processor {
  return withConfig(processor, NO_ROOM)
}

function withConfig(processor: Processor, config: Readonly<Record<string, unknown>>): Processor {
  const { custom } = processor.spec
  if (custom === undefined) return processor
  return { ...processor, spec: { ...processor.spec, custom: { ...custom, config } } }
}

function nested(levels: number): object {
  return levels === 0 ? [] : [nested(levels - 1)]
}
