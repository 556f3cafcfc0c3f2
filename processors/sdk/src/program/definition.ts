import type { Registry } from 'prom-client'
import type { z } from 'zod'
import type { ProcessorEnvironment } from '../bus/bus-options.ts'
import type { KeyValue, KeyValueOptions } from '../key-value/key-value.ts'
import type { Logger } from '../logger.ts'
import type { LargeMessages } from '../messages/message-threads.ts'
import type { AnswerFunction } from '../messages/reply.ts'
import type { ProcessorLimits } from '../messages/serve-processor.ts'

/** A processor's definition, of which `runProcessor` makes a program. */
export type ProcessorDefinition<Settings extends object> = {
  /** Lower case, one word: the last part of its subject and its `service` in logs. */
  readonly name: string
  readonly version: string
  /** The schema of the settings file; every setting has a default, so `{}` is a valid file. */
  readonly settings: z.ZodType<Settings>
  /** Environment variable → setting: a variable that is set and not empty overrides the file's value. */
  readonly variables?: Readonly<Record<string, keyof Settings & string>>
  /** Limits on the messages in work. */
  readonly limits?: ProcessorLimits
  /**
   * Starts the processor; throws a SettingsError for settings that can't work. `--validate` calls it too, then `close`.
   */
  readonly create: (settings: Settings, context: ProcessorContext) => RunningProcessor | Promise<RunningProcessor>
}

export type ProcessorContext = {
  readonly environment: ProcessorEnvironment
  readonly logger: Logger
  /** The registry for the processor's own metrics, served with the SDK's on PROCESSOR_PORT. */
  readonly metrics: Registry
  /**
   * Opens a bucket, even before the bus is connected. Until then its watches wait and its operations fail as
   * `unavailable`.
   */
  readonly keyValue: (options: KeyValueOptions) => KeyValue
  /** Aborted when the program is asked to end. */
  readonly signal: AbortSignal
}

export type RunningProcessor = {
  /** Returns the answer to the fields of one message. An exception becomes no answer, a log line and a count. */
  readonly answer: AnswerFunction
  /**
   * Reads messages of more than 16 KiB in threads. When it is absent, `answer` gets them too, and other messages wait.
   */
  readonly large?: LargeMessages
  /** Replaces `limits.concurrency` where the settings decide how many short messages may be in work. */
  readonly concurrency?: number
  /** Replaces `limits.ofRouter` likewise. */
  readonly ofRouter?: number
  /** Returns false while the processor can't answer, for example without its model; `/readyz` reports it. */
  readonly ready?: () => boolean
  /** Stops everything that `create` started; called after the last answer. */
  readonly close?: () => Promise<void>
}
