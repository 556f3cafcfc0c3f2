export { type BusAddress, parseBusAddress } from './bus-address.ts'
export { DEADLINE_HEADER, readDeadline } from './deadline.ts'
export { isJsonObject } from './json.ts'
export { jsonMembers, type Member } from './json-members.ts'
export { compileJsonPath, pathSegments } from './json-path.ts'
export { MASKED } from './masked.ts'
export { decodeMessage } from './message.ts'
export { MESSAGE_ID_HEADER } from './message-id.ts'
export { toOneLine } from './one-line.ts'
export {
  type Gap,
  isRecent,
  type Overtaken,
  type OvertakenNote,
  overtakenKey,
  readOvertaken,
  SINKS_BUCKET,
  withGap,
} from './overtaken.ts'
export { type RequestTurn, requestTurns } from './payload/request-turns.ts'
export { answerTexts, type PayloadText, requestTexts } from './payload/texts-of.ts'
export { type TokenUsage, USAGE_MEMBERS, usageOf } from './payload/usage-of.ts'
export type {
  HeaderMap,
  LogRecord,
  NamedEntry,
  ProcessorOutcome,
  RecordRequest,
  RecordResponse,
  Timer,
} from './record.ts'
export { type RecordRow, recordRow } from './record-row.ts'
export { createRepeatFilter, RepeatFilter } from './repeat-filter.ts'
export { DEFAULT_BUS_PREFIX, loggerSubject, processorSubject } from './subject.ts'
