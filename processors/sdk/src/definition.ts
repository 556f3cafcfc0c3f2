import type { Registry } from 'prom-client'
import type { z } from 'zod'
import type { ProcessorEnvironment } from './bus-options.ts'
import type { KeyValue, KeyValueOptions } from './key-value.ts'
import type { Logger } from './logger.ts'
import type { LargeMessages } from './message-threads.ts'
import type { Answer, Call } from './reply.ts'
import type { ProcessorLimits } from './serve-processor.ts'

/** A processor as its program states it; `runProcessor` makes a program of it. */
export type ProcessorDefinition<Settings extends object> = {
  /** Lower case, one word: the last part of its subject and its `service` in logs. */
  readonly name: string
  readonly version: string
  /** Its settings file; every setting has a default, so that `{}` is a whole file. */
  readonly settings: z.ZodType<Settings>
  /** Settings that a variable of the environment, where set and not empty, decides instead of the file. */
  readonly variables?: Readonly<Record<string, keyof Settings & string>>
  /** How much it takes on at a time. */
  readonly limits?: ProcessorLimits
  /** Starts it; throws a SettingsError for settings it can't work with. `--validate` calls it too, then closes it. */
  readonly create: (settings: Settings, context: ProcessorContext) => RunningProcessor | Promise<RunningProcessor>
}

export type ProcessorContext = {
  readonly environment: ProcessorEnvironment
  readonly logger: Logger
  /** For metrics of its own; served with the SDK's on PROCESSOR_PORT. */
  readonly metrics: Registry
  /** Opens a bucket; before the bus is connected too: what needs it waits or fails as `unavailable`. */
  readonly keyValue: (options: KeyValueOptions) => KeyValue
  /** Aborted when the program is asked to end. */
  readonly signal: AbortSignal
}

export type RunningProcessor = {
  /** Gives the answer to the fields of one message; what it throws becomes no answer, a log line and a count. */
  readonly answer: (fields: ReadonlyMap<string, unknown>, call?: Call) => Answer | Promise<Answer>
  /** Reads messages of more than 16 KiB in threads; absent: `answer` gets those too, and others wait meanwhile. */
  readonly large?: LargeMessages
  /** False while it can't answer, such as without its model; told by `/readyz`. */
  readonly ready?: () => boolean
  /** Ends what it started; called after the last answer. */
  readonly close?: () => Promise<void>
}
