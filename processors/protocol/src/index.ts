export { compileJsonPath, isJsonObject, pathSegments, printableLine, toOneLine } from './json.ts'
export { isBounded, type JsonBounds } from './json-bounds.ts'
export { jsonMembers, type Member } from './json-members.ts'
export {
  DEADLINE_HEADER,
  decodeMessage,
  MESSAGE_ID_HEADER,
  ROUTER_HEADER,
  readDeadline,
} from './message.ts'
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
export { MASKED } from './record.ts'
export { type RecordRow, recordMembers, recordRow } from './record-row.ts'
export { RepeatFilter } from './repeat-filter.ts'
export { DEFAULT_BUS_PREFIX, loggerSubject, processorSubject } from './subject.ts'
