import { z } from 'zod'
import { mapList, text } from './primitives.ts'

const GATEWAY_ACCEPTED = [
  'GatewayIdConflict',
  'BusConflict',
  'NameConflict',
  'InvalidParameters',
  'Pending',
  'Unreadable',
] as const
const GATEWAY_RESOLVED = [
  'SecretNotFound',
  'ConfigMapNotFound',
  'KeyNotFound',
  'InvalidCertificate',
  'ReadFailed',
] as const

/** Condition types and the reasons that each may carry, by kind (docs/reference/kubernetes.md#reasons). */
export const LLM_GATEWAY_REASONS = {
  Accepted: ['Accepted', 'Paused', ...GATEWAY_ACCEPTED],
  ResolvedRefs: ['ResolvedRefs', ...GATEWAY_RESOLVED],
  Programmed: [
    'Programmed',
    // The reason of another condition that is False and so keeps Programmed from being True.
    ...GATEWAY_ACCEPTED,
    ...GATEWAY_RESOLVED,
    'PodsLagging',
    'NoReadyPods',
    'CapacityExceeded',
    'RejectedByGateway',
    'ApplyFailed',
    'PodsUnreachable',
  ],
  Ready: ['Ready', 'DeploymentUnavailable', 'RolloutStuck', 'BusUnavailable', 'NotAccepted', 'PodsUnreachable'],
  RecordsDurable: [
    'RecordsDurable',
    'StreamMissing',
    'EphemeralStorage',
    'SinkOvertaken',
    'SpoolFull',
    'BusUnavailable',
  ],
} as const

const ROUTER_ACCEPTED = [
  'GatewayNotFound',
  'NotAllowedByGateway',
  'PathConflict',
  'PathReserved',
  'PathNotAllowed',
  'Pending',
  'GatewayNotAccepted',
  'Unreadable',
] as const
const ROUTER_RESOLVED = [
  'VariableNotFound',
  'SecretNotFound',
  'ConfigMapNotFound',
  'KeyNotFound',
  'EmptyValue',
  'InvalidValue',
  'RefNotPermitted',
  'InvalidUrl',
  'HostNotAllowed',
  'NotEvaluated',
  'ReadFailed',
] as const

/** The reasons why Programmed isn't True: those of other conditions, then those of pods. */
const ROUTER_PROGRAMMED = [
  ...ROUTER_ACCEPTED,
  ...ROUTER_RESOLVED,
  'PodsLagging',
  'NoReadyPods',
  'CapacityExceeded',
  'RejectedByGateway',
  'PodsUnreachable',
] as const

export const ROUTER_REASONS = {
  Accepted: ['Accepted', ...ROUTER_ACCEPTED],
  ResolvedRefs: ['ResolvedRefs', ...ROUTER_RESOLVED],
  Programmed: ['Programmed', ...ROUTER_PROGRAMMED],
  Ready: ['Ready', ...ROUTER_PROGRAMMED],
} as const

const PROCESSOR_ACCEPTED = [
  'GatewayNotFound',
  'FieldConflict',
  'InvalidParameters',
  'Pending',
  'GatewayNotAccepted',
  'Unreadable',
] as const
const PROCESSOR_RESOLVED = [
  'SecretNotFound',
  'ConfigMapNotFound',
  'KeyNotFound',
  'RouterNotFound',
  'ReadFailed',
] as const

export const PROCESSOR_REASONS = {
  Accepted: ['Accepted', ...PROCESSOR_ACCEPTED],
  ResolvedRefs: ['ResolvedRefs', ...PROCESSOR_RESOLVED],
  Programmed: [
    'Programmed',
    ...PROCESSOR_ACCEPTED,
    ...PROCESSOR_RESOLVED,
    'WaitingForReady',
    'PodsLagging',
    'NoReadyPods',
    'PodsUnreachable',
  ],
  Ready: ['Ready', 'DeploymentUnavailable', 'ImagePullFailed', 'CrashLooping', 'BusUnavailable', 'NotObserved'],
} as const

/**
 * The newest generation that was carried out, for tools that wait for any kind (kstatus). A resource that no operator
 * has seen has -1 by default, or those tools would take it for finished.
 */
export const observedGenerationSchema = z
  .int()
  .min(-1)
  .optional()
  .describe(
    'The metadata.generation that is in use, or whose conditions tell why it is not; -1: no operator has seen the resource yet.',
  )
export const UNSEEN = { observedGeneration: -1 } as const

export const conditionSchema = z.object({
  type: z.string().min(1).max(64).describe('Type of the condition, such as Ready.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('True, False or Unknown.'),
  reason: z.string().min(1).max(64).describe('Cause of the status, one word that programs may compare.'),
  message: text(1024).describe('Cause of the status for people; names references, never their values.'),
  observedGeneration: z.int().min(0).optional().describe('The metadata.generation that the condition is about.'),
  lastTransitionTime: z.string().max(32).meta({ format: 'date-time' }).describe('Time at which status last changed.'),
})
export type Condition = z.infer<typeof conditionSchema>

export const conditionsSchema = mapList(conditionSchema, 'type', 16).describe('Conditions of this resource.')
