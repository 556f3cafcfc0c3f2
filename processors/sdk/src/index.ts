export { errorCode, SettingsError, ThreadError } from '@llm-gateway/conf/failure'
export { type AskOptions, createThread, type Thread, type ThreadOptions } from '@llm-gateway/conf/thread'
export type { BusClient, BusMessage, BusSubscription, RequestOutcome, SubscribeOptions } from './bus/bus.ts'
export {
  type BusCredentials,
  type BusOptions,
  type BusSettings,
  type BusTls,
  busOptions,
  type ProcessorEnvironment,
} from './bus/bus-options.ts'
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
} from './bus/bus-streams.ts'
export { type ConnectOptions, connectBus } from './bus/nats-bus.ts'
export type {
  KeyValue,
  KeyValueEntry,
  KeyValueOptions,
  ReadOutcome,
  Watch,
  WriteOutcome,
} from './key-value/key-value.ts'
export type { Logger } from './logger.ts'
export { AnswerText } from './messages/answer-text.ts'
export type { LargeMessages } from './messages/message-threads.ts'
export type { Answer, AnyAnswer, Call, MessageOutcome, Turns } from './messages/reply.ts'
export { selectedFields } from './messages/selected-fields.ts'
export {
  type Processor,
  type ProcessorLimits,
  type ProcessorOptions,
  serveProcessor,
} from './messages/serve-processor.ts'
export type { ProcessorContext, ProcessorDefinition, RunningProcessor } from './program/definition.ts'
export { type ProcessorProcess, runProcessor } from './program/run-processor.ts'
export { type SignalSource, stopped, stopSignal } from './program/stop-signal.ts'
export { booleanSetting, type NumberBounds, noSettings, numberSetting } from './program/value-settings.ts'
export { type RecordReading, recordsOfFiles, recordsOfStream } from './records/read-records.ts'
export { type ReadStreamOptions, readStream } from './records/read-stream.ts'
export type { RecordQuery } from './records/record-query.ts'
export { waitFor, withinTime } from './wait.ts'
