export { type BusAddress, parseBusAddress } from './bus-address.ts'
export { DEADLINE_HEADER, readDeadline } from './deadline.ts'
export { isJsonObject } from './json.ts'
export { compileJsonPath, pathSegments } from './json-path.ts'
export { MASKED } from './masked.ts'
export { decodeMessage } from './message.ts'
export { MESSAGE_ID_HEADER } from './message-id.ts'
export { toOneLine } from './one-line.ts'
export type {
  HeaderMap,
  LogRecord,
  NamedEntry,
  ProcessorOutcome,
  RecordRequest,
  RecordResponse,
  Timer,
} from './record.ts'
export { createRepeatFilter, RepeatFilter } from './repeat-filter.ts'
export { DEFAULT_BUS_PREFIX, loggerSubject, processorSubject } from './subject.ts'
