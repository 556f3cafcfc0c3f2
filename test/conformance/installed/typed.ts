// Compiled against the installed package. The expected errors prove that the types are found.
import { type Answer, noSettings, type ProcessorDefinition, runProcessor } from '@llm-gateway/sdk'
import { contextUnderTest } from '@llm-gateway/sdk/context-under-test'
import { numberSetting } from '@llm-gateway/sdk/settings'
import { runThread } from '@llm-gateway/sdk/thread'

export const answer = (fields: ReadonlyMap<string, unknown>): Answer => ({ fields: fields.size })
export const definition: ProcessorDefinition<object> = {
  name: 'typed',
  version: '1.0.0',
  settings: noSettings,
  create: () => ({ answer }),
}
export const code: Promise<number> = runProcessor(definition, process)
export const least = numberSetting({ min: 1 })
export const context = contextUnderTest()
export const thread: unknown = runThread

// @ts-expect-error a version is a text
export const wrongVersion: ProcessorDefinition<object> = { ...definition, version: 1 }
// @ts-expect-error the process is missing
export const wrongCall = runProcessor(definition)
// @ts-expect-error a bound is a number
export const wrongBound = numberSetting({ min: 'one' })
// @ts-expect-error a context's metrics are no text
export const wrongContext: string = context.metrics
