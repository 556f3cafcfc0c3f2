export {
  type Check,
  type CheckedField,
  checkSchema,
  type FieldState,
  type Variable,
} from './check.ts'
export {
  type Edition,
  type Endpoint,
  type EndpointAnswer,
  type EndpointBody,
  type EndpointName,
  type EndpointQuery,
  endpoints,
} from './endpoints.ts'
export type {
  Conflict,
  FailedField,
  FailureCode,
  FieldPath,
  FileVersion,
} from './failure.ts'
export { type Failure, failureSchema } from './failure-answer.ts'
export {
  type ArchiveEntry,
  type DeployResult,
  type Edit,
  type File,
  type FileName,
  type FileSummary,
  fileNameSchema,
  MASKED,
  MOST_TEXT,
  type SaveDraft,
} from './files.ts'
export { openApi } from './open-api.ts'
export type { Charts, GatewayState, Overview, ProcessorState, ServiceState, SinkState } from './overview.ts'
export { NONCE_PLACE } from './page.ts'
export {
  type Applied,
  type Configuration,
  type GatewayPod,
  MOST_MANIFEST,
  type OwnedField,
  type Resource,
  type ResourceCheck,
  type ResourceCondition,
  type ResourceEvent,
  type ResourceKind,
  type ResourceSummary,
  type Resources,
  type ResourceVariable,
} from './resources.ts'
export type { Router, Routers } from './routers.ts'
export type { Login, LoginRequest, Session, SessionState } from './session.ts'
export type {
  History,
  HistoryQuery,
  LiveEvent,
  RecordAnswer,
  Transaction,
  TransactionFilter,
} from './transactions.ts'
export type { TryEvent, TryRequest } from './trying.ts'
