import {
  type LlmGateway,
  llmGatewaySchema,
  type MaybeUnreadable,
  type ObjectMeta,
  PROCESSOR_TYPES,
  type Processor,
  processorSchema,
  type Router,
  routerSchema,
} from '@llm-gateway/crds'
import { decodeMetadata, isObject, listAt, numberAt, textAt, valueAt } from '@llm-gateway/kube'
import { leanMetadata } from './lean-metadata.ts'
import { leanProcessor } from './lean-processor.ts'
import { leanRouter } from './lean-router.ts'

/**
 * Decodes a stored resource; undefined: it has no metadata. Fields of a status that can't be decoded are left out.
 * Where a spec can't be decoded, the spec of `before` stays; without `before` a stand-in says where the resource
 * belongs.
 */
type Decode<T> = (object: unknown, before?: T) => T | undefined

const decodeWholeRouter: Decode<Router> = resourceDecoder({
  schema: routerSchema,
  status: routerSchema.shape.status,
  standIn: (spec) => {
    const namespace = textAt(spec, 'gatewayRef', 'namespace')
    const path = textAt(spec, 'path') ?? ''
    return {
      gatewayRef: { name: textAt(spec, 'gatewayRef', 'name') ?? '', ...(namespace === undefined ? {} : { namespace }) },
      path: path.startsWith('/') && path.endsWith('/') ? path : '',
      internal: false,
      outbound: { url: '' },
    }
  },
})

export const decodeRouter: Decode<Router> = (object, before) => {
  const router = decodeWholeRouter(object, before)
  return router && leanRouter(router)
}

const decodeWholeProcessor: Decode<Processor> = resourceDecoder({
  schema: processorSchema,
  status: processorSchema.shape.status,
  standIn: (spec) => ({
    gatewayRef: { name: textAt(spec, 'gatewayRef', 'name') ?? '' },
    type: PROCESSOR_TYPES.find((type) => type === textAt(spec, 'type')) ?? 'Custom',
    replicas: numberAt(spec, 'replicas') ?? 1,
  }),
})

export const decodeProcessor: Decode<Processor> = (object, before) => {
  const processor = decodeWholeProcessor(object, before)
  return processor && leanProcessor(processor)
}

export const decodeGateway: Decode<LlmGateway> = resourceDecoder({
  schema: llmGatewaySchema,
  status: llmGatewaySchema.shape.status,
  standIn: (spec) => {
    const schema = llmGatewaySchema.shape.spec
    const { error } = schema.safeParse(spec)
    const unreadable = new Set(error?.issues.map(({ path: [field] }) => field))
    const fields = isObject(spec) ? Object.entries(spec).filter(([field]) => !unreadable.has(field)) : []
    return schema.safeParse(Object.fromEntries(fields)).data ?? schema.parse({})
  },
})

/** What a gateway of another class keeps: nobody reads more of it, and its sharedEnv may have 1.3 MiB. */
const OF_ANOTHER_CLASS = llmGatewaySchema.shape.spec.parse({})

/** Returns the decoder of an operator that looks after the gateways of one class. */
export function gatewayDecoder(gatewayClass: string): Decode<LlmGateway> {
  return (object, before) => {
    const gateway = decodeGateway(object, before)
    if (gateway === undefined || gateway.spec.class === gatewayClass) return gateway
    return { ...gateway, spec: { ...OF_ANOTHER_CLASS, class: gateway.spec.class } }
  }
}

/** The part of a schema that decoders use. */
type Reads<T> = {
  parse(value: unknown): T
  safeParse(value: unknown): { readonly success: boolean; readonly data?: T | undefined }
}
type Resource<S, U> = MaybeUnreadable & { readonly metadata: ObjectMeta; readonly spec: S; readonly status: U }
type Kind<S, U> = {
  readonly schema: Reads<Resource<S, U>>
  readonly status: Reads<U>
  readonly standIn: (spec: unknown) => S
}

function resourceDecoder<S, U>({ schema, status: statusSchema, standIn }: Kind<S, U>) {
  return (object: unknown, before?: Resource<S, U>): Resource<S, U> | undefined => {
    const whole = schema.safeParse(object).data
    if (whole !== undefined) return { ...whole, metadata: leanMetadata(whole.metadata) }
    const stored = decodeMetadata(object)
    if (stored === undefined || !isObject(object)) return undefined
    const metadata = leanMetadata(stored.metadata)
    const status = readableStatus(valueAt(object, 'status'), statusSchema)
    const withoutStatus = schema.safeParse({ ...object, status }).data
    if (withoutStatus !== undefined) return { ...withoutStatus, metadata: leanMetadata(withoutStatus.metadata) }
    const { generation, uid } = metadata
    if (before === undefined || before.metadata.uid !== uid || before.unreadable?.isKept === false)
      return { metadata, spec: standIn(valueAt(object, 'spec')), status, unreadable: { isKept: false, generation } }
    // Names of values contain the generation, so the kept spec keeps its generation.
    const kept = { ...metadata, generation: before.metadata.generation }
    return { metadata: kept, spec: before.spec, status, unreadable: { isKept: true, generation } }
  }
}

/** Keeps the readable fields of a status and its readable conditions, since all of them are optional. */
function readableStatus<T>(status: unknown, schema: Reads<T>): T {
  const fields = isObject(status) ? Object.entries(status) : []
  const conditions = listAt(status, 'conditions').filter(
    (condition) => schema.safeParse({ conditions: [condition] }).success,
  )
  const readable = fields.filter(([field, value]) => schema.safeParse({ [field]: value }).success)
  return schema.parse({ ...Object.fromEntries(readable), ...(conditions.length === 0 ? {} : { conditions }) })
}
