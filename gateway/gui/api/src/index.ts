export {
  type Check,
  type CheckedField,
  checkSchema,
  type FieldState,
  type Variable,
} from './check.ts'
export { type Edition, type Endpoint, failuresOf, mostBody } from './endpoint.ts'
export {
  type EndpointAnswer,
  type EndpointBody,
  type EndpointName,
  type EndpointQuery,
  endpoints,
} from './endpoints.ts'
export {
  type Conflict,
  FAILURES,
  type FailedField,
  type FailureCode,
  type FieldPath,
  type FileVersion,
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
export { type Applied, MOST_MANIFEST, type ResourceCheck } from './manifest.ts'
export { openApi } from './open-api.ts'
export type { Charts, GatewayState, Overview, ProcessorState, ServiceState, SinkState } from './overview.ts'
export { NONCE_PLACE } from './page.ts'
export type {
  Configuration,
  GatewayPod,
  OwnedField,
  Resource,
  ResourceEvent,
  ResourceVariable,
} from './resource.ts'
export type { ResourceCondition, ResourceKind, ResourceSummary, Resources } from './resources.ts'
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
