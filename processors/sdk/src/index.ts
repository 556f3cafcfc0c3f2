export { errorCode, SettingsError, ThreadError } from '@llm-gateway/conf/failure'
export { type AskOptions, createThread, type Thread, type ThreadOptions } from '@llm-gateway/conf/thread'
export type { BusClient, BusMessage, BusSubscription, RequestOutcome, SubscribeOptions } from './bus.ts'
export {
  type BusCredentials,
  type BusOptions,
  type BusSettings,
  type BusTls,
  busOptions,
  type ProcessorEnvironment,
} from './bus-options.ts'
export type {
  BusStreams,
  ConsumerStart,
  ConsumerState,
  KeptMessage,
  Pull,
  PullEnd,
  StreamAnswer,
  StreamMessage,
  StreamState,
} from './bus-streams.ts'
export type { ProcessorContext, ProcessorDefinition, RunningProcessor } from './definition.ts'
export type {
  KeyValue,
  KeyValueEntry,
  KeyValueOptions,
  ReadOutcome,
  Watch,
  WriteOutcome,
} from './key-value.ts'
export type { Logger } from './logger.ts'
export type { LargeMessages } from './message-threads.ts'
export { type ConnectOptions, connectBus } from './nats-bus.ts'
export { type RecordReading, recordsOfFiles, recordsOfStream } from './read-records.ts'
export { type ReadStreamOptions, readStream } from './read-stream.ts'
export type { RecordQuery } from './record-query.ts'
export type { Answer, Call, MessageOutcome } from './reply.ts'
export { type ProcessorProcess, runProcessor } from './run-processor.ts'
export { selectedFields } from './selected-fields.ts'
export { type Processor, type ProcessorLimits, type ProcessorOptions, serveProcessor } from './serve-processor.ts'
export { type SignalSource, stopped, stopSignal } from './stop-signal.ts'
export { booleanSetting, type NumberBounds, noSettings, numberSetting } from './value-settings.ts'
export { waitFor, withinTime } from './wait.ts'
