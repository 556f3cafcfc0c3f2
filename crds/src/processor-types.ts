/** The types of Processor whose program is in the gateway's image (docs/reference/kubernetes.md#processor). */
export const SHIPPED_TYPES = [
  'Tokenizer',
  'Mock',
  'Regex',
  'Broker',
  'NlpEntities',
  'ContentFilter',
  'CharacterCount',
  'TokenCounter',
] as const
export type ShippedType = (typeof SHIPPED_TYPES)[number]

/** The programs that a Processor can be: shipped programs, and a person's own. */
export const PROCESSOR_TYPES = [...SHIPPED_TYPES, 'Custom'] as const
export type ProcessorType = (typeof PROCESSOR_TYPES)[number]

/** A call point with all its fields. */
export type WholeCallPoint = {
  readonly order: number
  readonly async: boolean
  readonly modifier: boolean
  readonly required: boolean
  readonly inputFields: readonly string[]
  readonly outputFields: readonly string[]
  readonly timeoutMs: number
}

/** A type's call points; undefined: it isn't called in that phase. */
export type CallPoints = {
  readonly request: WholeCallPoint | undefined
  readonly response: WholeCallPoint | undefined
}

const blank = { async: false, modifier: false, required: false, inputFields: [], outputFields: [], timeoutMs: 1_000 }

/**
 * Orders of rows. A Custom processor comes first, since a program that refuses or changes a call has to see it first.
 * Gaps leave room between the others, whose order is the shipped example's: refusals first, the broker after the caps.
 */
const ORDER = { custom: 50, filter: 100, mock: 200, caps: 300, broker: 400, record: 500 } as const

/**
 * The call points of a Processor whose resource leaves them out (docs/reference/processors.md). A Mock has two call
 * points in the response phase; the call point in this table replays.
 */
export const CALL_POINT_DEFAULTS: Readonly<Record<ProcessorType, CallPoints>> = {
  Tokenizer: {
    request: recording({ inputFields: ['ingress_payload', 'gl_path'], outputFields: ['tokenizer'], timeoutMs: 10_000 }),
    response: recording({
      inputFields: ['inbound_payload', 'gl_path'],
      outputFields: ['tokenizer'],
      timeoutMs: 10_000,
    }),
  },
  Mock: {
    request: {
      ...blank,
      order: ORDER.mock,
      required: true,
      inputFields: ['gl_path', 'ingress_subpath'],
      outputFields: ['control', 'control_status_code'],
    },
    response: {
      ...blank,
      order: ORDER.filter,
      modifier: true,
      inputFields: ['gl_path', 'egress_payload', 'egress_headers', 'egress_status_code'],
      outputFields: ['egress_payload', 'egress_headers', 'egress_status_code'],
      timeoutMs: 60_000,
    },
  },
  Regex: {
    request: undefined,
    response: {
      ...blank,
      order: ORDER.mock,
      modifier: true,
      inputFields: ['egress_payload', 'gl_path'],
      outputFields: ['egress_payload'],
      timeoutMs: 2_000,
    },
  },
  Broker: {
    request: {
      ...blank,
      order: ORDER.broker,
      modifier: true,
      required: true,
      inputFields: ['gl_path'],
      outputFields: ['gl_path'],
    },
    response: recording({
      inputFields: ['gl_path', 'inbound_status_code', 'egress_status_code', 'error'],
      outputFields: [],
      timeoutMs: 5_000,
    }),
  },
  NlpEntities: {
    request: recording({ inputFields: ['outbound_payload'], outputFields: ['nlp_entities'], timeoutMs: 10_000 }),
    response: recording({ inputFields: ['egress_payload'], outputFields: ['nlp_entities'], timeoutMs: 10_000 }),
  },
  ContentFilter: {
    request: {
      ...blank,
      order: ORDER.filter,
      required: true,
      inputFields: ['ingress_payload', 'gl_path'],
      outputFields: ['content_filter', 'is_toxic', 'control', 'control_status_code'],
      timeoutMs: 5_000,
    },
    response: undefined,
  },
  CharacterCount: {
    request: recording({ inputFields: ['ingress_payload'], outputFields: ['character_count'], timeoutMs: 5_000 }),
    response: undefined,
  },
  TokenCounter: {
    request: {
      ...blank,
      order: ORDER.caps,
      inputFields: ['gl_path', 'ingress_payload'],
      outputFields: ['control', 'control_status_code', 'control_headers'],
    },
    response: recording({
      inputFields: ['gl_path', 'original_gl_path', 'inbound_status_code', 'inbound_payload'],
      outputFields: ['token_count'],
      timeoutMs: 5_000,
    }),
  },
  Custom: { request: { ...blank, order: ORDER.custom }, response: { ...blank, order: ORDER.custom } },
}

/**
 * A Mock's other call point of the response phase, on every router that it replays. This call point can't be
 * configured.
 */
export const MOCK_RECORDING: WholeCallPoint = recording({
  inputFields: ['gl_path', 'original_gl_path', 'egress_payload', 'egress_headers', 'egress_status_code'],
  outputFields: [],
  timeoutMs: 5_000,
})

/** Makes a call point after the answer, for the record. */
function recording(own: Pick<WholeCallPoint, 'inputFields' | 'outputFields' | 'timeoutMs'>): WholeCallPoint {
  return { ...blank, order: ORDER.record, async: true, ...own }
}
