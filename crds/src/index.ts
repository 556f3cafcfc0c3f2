export type { LabelSelector, Namespaces } from './allowed-routers.ts'
export type { CallPoint } from './call-point.ts'
export { type Condition, LLM_GATEWAY_REASONS, PROCESSOR_REASONS, ROUTER_REASONS } from './conditions.ts'
export type { EnvEntry, KeyReference } from './env-entry.ts'
export {
  createFaultFinder,
  createFormJudge,
  type FormFault,
  type FormJudge,
  fieldPath,
  isKindName,
  type KindName,
} from './form-errors.ts'
export {
  API_VERSION,
  CONFIG_ANNOTATION,
  GATEWAY_LABEL,
  GROUP,
  PAUSED_ANNOTATION,
  VERSION,
  VERSION_ANNOTATION,
} from './group.ts'
export { type LlmGateway, type LlmGatewaySpec, type LlmGatewayStatus, llmGatewaySchema } from './llm-gateway.ts'
export { type ObjectMeta, objectMetaSchema } from './object-meta.ts'
export type { PodSettings } from './pod-settings.ts'
export { type Processor, type ProcessorSpec, type ProcessorStatus, processorSchema } from './processor.ts'
export {
  CALL_POINT_DEFAULTS,
  type CallPoints,
  MOCK_RECORDING,
  PROCESSOR_TYPES,
  type ProcessorType,
  SHIPPED_TYPES,
  type ShippedType,
  type WholeCallPoint,
} from './processor-types.ts'
export type { RecordSinks } from './record-sinks.ts'
export { type RejectedField, type Router, type RouterSpec, type RouterStatus, routerSchema } from './router.ts'
export type { SharedEnvEntry } from './shared-env.ts'
export type { TlsSettings } from './tls-settings.ts'
export type { MaybeUnreadable, Unreadable } from './unreadable.ts'
