import { z } from 'zod'
import { callPointSchema } from './call-point.ts'
import { conditionsSchema, observedGenerationSchema } from './conditions.ts'
import { describeCallPoints } from './describe-call-points.ts'
import { envEntrySchema, RESERVED_NAMES } from './env-entry.ts'
import { objectMetaSchema } from './object-meta.ts'
import { resourcesSchema } from './pod-settings.ts'
import { cel, IMMUTABLE, label, mapList, text } from './primitives.ts'
import {
  brokerSettingsSchema,
  contentFilterSettingsSchema,
  customSettingsSchema,
  mockSettingsSchema,
  nlpEntitiesSettingsSchema,
  regexSettingsSchema,
  tokenCounterSettingsSchema,
  tokenizerSettingsSchema,
} from './processor-settings.ts'
import { CALL_POINT_DEFAULTS, PROCESSOR_TYPES, type ProcessorType } from './processor-types.ts'
import { pathList } from './router-path.ts'
import type { MaybeUnreadable } from './unreadable.ts'

/** Variables that the operator sets itself (docs/reference/bus.md#connection). */
const OWN_ENV = {
  rule: "self.all(e, !(e.name in ['GATEWAY_HOST', 'BUS_PREFIX', 'PROCESSOR_SUBJECT', 'PROCESSOR_CONFIG', 'PROCESSOR_PORT']))",
  message: 'GATEWAY_HOST, BUS_PREFIX and PROCESSOR_… are set by the operator',
  reason: 'FieldValueForbidden' as const,
}

/** Type → the field with its settings; a CharacterCount has none. */
const SETTINGS_FIELDS: readonly (readonly [ProcessorType, string])[] = [
  ['Tokenizer', 'tokenizer'],
  ['Mock', 'mock'],
  ['Regex', 'regex'],
  ['Broker', 'broker'],
  ['NlpEntities', 'nlpEntities'],
  ['ContentFilter', 'contentFilter'],
  ['TokenCounter', 'tokenCounter'],
  ['Custom', 'custom'],
]

const UNION = SETTINGS_FIELDS.map(([type, field]) => ({
  rule: `!has(self.${field}) || self.type == '${type}'`,
  message: `belongs to type: ${type}`,
  reason: 'FieldValueForbidden' as const,
  fieldPath: `.${field}`,
}))

const NEEDED = (['Broker', 'Custom'] as const).map((type) => ({
  rule: `self.type != '${type}' || has(self.${type.toLowerCase()})`,
  message: `type: ${type} needs it`,
  reason: 'FieldValueRequired' as const,
  fieldPath: `.${type.toLowerCase()}`,
}))

const PHASES = (['request', 'response'] as const).map((phase) => {
  const without = PROCESSOR_TYPES.filter((type) => CALL_POINT_DEFAULTS[type][phase] === undefined)
  return {
    rule: `!has(self.${phase}) || !(self.type in [${without.map((type) => `'${type}'`).join(', ')}])`,
    message: `a ${without.join(' or ')} is not called in the ${phase} phase`,
    reason: 'FieldValueForbidden' as const,
    fieldPath: `.${phase}`,
  }
})

const CALLED = {
  rule: "self.type != 'Custom' || has(self.request) || has(self.response)",
  message: 'type: Custom needs request or response, else nothing calls it',
  reason: 'FieldValueRequired' as const,
}

/** The spec of a Processor, as people write it (docs/reference/kubernetes.md#processor). */
export const processorSpecSchema = z
  .object({
    gatewayRef: z
      .object({ name: label.max(40).describe('Name of an LLMGateway of the same namespace.') })
      .meta(cel(IMMUTABLE))
      .describe('The LLMGateway whose calls the Processor sees; immutable.'),
    type: z.enum(PROCESSOR_TYPES).meta(cel(IMMUTABLE)).describe('Program of the Processor; immutable.'),
    replicas: z.int().min(0).max(100).default(1).describe('Number of pods; an autoscaler may write this field.'),
    routers: pathList(1024)
      .min(1)
      .optional()
      .describe(
        'Paths of the Routers whose calls the Processor sees; left out: all Routers, or those that its type needs.',
      ),
    request: callPointSchema
      .optional()
      .describe(`Call point before the call of the LLM API. ${describeCallPoints('request')}`),
    response: callPointSchema
      .optional()
      .describe(`Call point after the call of the LLM API. ${describeCallPoints('response')}`),
    env: mapList(envEntrySchema, 'name', 64)
      .meta(cel(RESERVED_NAMES, OWN_ENV))
      .optional()
      .describe('Environment of the process; settings may refer to these variables by ${NAME}.'),
    resources: resourcesSchema.optional(),
    tokenizer: tokenizerSettingsSchema.optional().describe('For type Tokenizer: counts the tokens of payloads.'),
    mock: mockSettingsSchema.optional().describe('For type Mock: replays recorded answers.'),
    regex: regexSettingsSchema.optional().describe('For type Regex: extracts sections of answers.'),
    broker: brokerSettingsSchema.optional().describe('For type Broker: spreads calls over Routers.'),
    nlpEntities: nlpEntitiesSettingsSchema.optional().describe('For type NlpEntities: finds names in texts.'),
    contentFilter: contentFilterSettingsSchema.optional().describe('For type ContentFilter: refuses toxic questions.'),
    tokenCounter: tokenCounterSettingsSchema.optional().describe('For type TokenCounter: counts and caps tokens.'),
    custom: customSettingsSchema.optional().describe('For type Custom: a program of your own.'),
  })
  .meta(cel(...UNION, ...NEEDED, ...PHASES, CALLED))
export type ProcessorSpec = z.infer<typeof processorSpecSchema>

const count = z.int().min(0)

export const processorStatusSchema = z.object({
  subject: text(256).optional().describe('Subject on the bus by which the gateway calls the Processor.'),
  replicas: count.optional().describe('Number of pods.'),
  readyReplicas: count.optional().describe('Number of pods that are ready, that is subscribed to the bus.'),
  selector: text(512).optional().describe('Label selector of the pods; for autoscalers.'),
  observedGeneration: observedGenerationSchema,
  conditions: conditionsSchema.optional(),
})
export type ProcessorStatus = z.infer<typeof processorStatusSchema>

export const processorSchema = z.object({
  metadata: objectMetaSchema,
  spec: processorSpecSchema,
  status: processorStatusSchema.default({}),
})
/** A Processor as the API server returns it. */
export type Processor = z.infer<typeof processorSchema> & MaybeUnreadable
