import type { ProcessorEntry } from '@llm-gateway/conf'
import {
  CALL_POINT_DEFAULTS,
  type ProcessorType,
  SHIPPED_TYPES,
  type ShippedType,
  type WholeCallPoint,
} from '@llm-gateway/crds'
import { SHIPPED } from '../../translate/processors/processor-names.ts'
import { type ImportPart, type ImportTarget, ownResource, type Resource } from './import-part.ts'
import { createNames } from './resource-name.ts'
import { isRecording, rowOrders } from './row-orders.ts'

type Rows = readonly (readonly ProcessorEntry[])[]
export type Phases = { readonly request: Rows; readonly response: Rows }

/** An entry, its phase and the `order` that keeps its row; undefined: the type's default order keeps the row. */
type PlacedEntry = {
  readonly phase: 'request' | 'response'
  readonly entry: ProcessorEntry
  readonly order: number | undefined
}

export type RowsTarget = ImportTarget & {
  /** The prefix of all subjects. */
  readonly prefix: string
  /** Paths of all imported Routers. */
  readonly routers: readonly string[]
}

/** Turns rows into Processors, one for each subject. */
export function importProcessors(phases: Phases, target: RowsTarget): ImportPart {
  const typeOf = (entry: ProcessorEntry) => typeOfSubject(entry.service_bus_topic, target.prefix)
  const placed = (['request', 'response'] as const).flatMap((phase): PlacedEntry[] => {
    const orders = rowOrders(phases[phase], phase, typeOf)
    return phases[phase].flatMap((row, index) => row.map((entry) => ({ phase, entry, order: orders?.[index] })))
  })
  const groups = Map.groupBy(placed, ({ entry }) => entry.service_bus_topic)
  const nameOf = createNames()
  const parts = [...groups].map(([subject, entries]) => {
    const type = typeOfSubject(subject, target.prefix)
    return type === 'Custom' ? custom(subject, entries, { target, nameOf }) : shipped(type, entries, target)
  })
  return { resources: parts.flatMap(({ resources }) => resources), notes: parts.flatMap(({ notes }) => notes) }
}

/** Returns the paths that a Mock of these rows replays. */
export function replayedBy(phases: Phases, prefix: string): readonly string[] {
  const isMock = (entry: ProcessorEntry) => typeOfSubject(entry.service_bus_topic, prefix) === 'Mock'
  const replay = phases.request.flat().find(isMock)
  return (replay?.routers ?? []).filter((path) => path.startsWith('/mock/')).map((path) => path.slice('/mock'.length))
}

function typeOfSubject(subject: string, prefix: string): ProcessorType {
  for (const type of SHIPPED_TYPES) if (subject === `${prefix}.gl.${SHIPPED[type].subject}`) return type
  return 'Custom'
}

function shipped(type: ShippedType, placed: readonly PlacedEntry[], target: RowsTarget): ImportPart {
  const own = placed.filter(({ entry, phase }) => !isRecording(entry, phase, type))
  const spec = {
    gatewayRef: { name: target.name },
    type,
    ...rangeOf(type, own, target),
    ...pointOf('request', own, { type, target }),
    ...pointOf('response', own, { type, target }),
  }
  const notes = CONFIGURED.has(type)
    ? [`${type}: copy its settings from its own file, ${SHIPPED[type].subject}_config.json`]
    : []
  return { resources: [ownResource('Processor', SHIPPED[type].folder, target, spec)], notes }
}

/** Types with a settings file. A CharacterCount has no settings. */
const CONFIGURED: ReadonlySet<ProcessorType> = new Set([
  'Tokenizer',
  'Mock',
  'Regex',
  'NlpEntities',
  'ContentFilter',
  'TokenCounter',
  'Broker',
])

type CustomContext = { readonly target: RowsTarget; readonly nameOf: (text: string) => string }

function custom(subject: string, placed: readonly PlacedEntry[], { target, nameOf }: CustomContext): ImportPart {
  const name = nameOf(placed[0]?.entry.name ?? subject)
  const around = { type: 'Custom', target } as const
  const spec = {
    gatewayRef: { name: target.name },
    type: 'Custom',
    // An image that can't be pulled, since the file doesn't tell which program answers.
    custom: { image: 'FILL-IN' },
    ...rangeOf('Custom', placed, target),
    ...pointOf('request', placed, around),
    ...pointOf('response', placed, around),
  }
  const own = `${target.prefix}.gl.custom.${name}`
  const renamed = subject === own ? [] : [`Processor ${name}: its subject is ${own}, no longer ${subject}`]
  const resource: Resource = ownResource('Processor', name, target, spec)
  return { resources: [resource], notes: [`Processor ${name}: fill in custom.image`, ...renamed] }
}

/**
 * Returns the fields that say for which Routers a Processor is called; empty where its type's default says the same.
 */
function rangeOf(type: ProcessorType, placed: readonly PlacedEntry[], target: RowsTarget): object {
  const first = (phase: PlacedEntry['phase']) => placed.find((entry) => entry.phase === phase)?.entry
  const request = first('request')
  if (type === 'Broker') return { broker: { pools: poolsOf(request) } }
  if (type === 'Mock') {
    const replayed = (request?.routers ?? []).map((path) => path.replace(/^\/mock\//, '/'))
    return sameSet(replayed, target.routers) ? {} : { routers: replayed }
  }
  const routers = (request ?? first('response'))?.routers
  return routers === undefined ? {} : { routers }
}

/** Returns a Broker's pools. Of several pools each gets the members below its path. */
function poolsOf({ routers = [], reroute_to = [] }: Partial<ProcessorEntry> = {}): readonly object[] {
  return routers.map((path) => ({
    path,
    members: routers.length === 1 ? reroute_to : reroute_to.filter((member) => member.startsWith(path)),
  }))
}

type CallPointContext = { readonly type: ProcessorType; readonly target: RowsTarget }

/** Returns the parts of a call point that differ from its type's defaults. */
function pointOf(
  phase: PlacedEntry['phase'],
  placed: readonly PlacedEntry[],
  { type, target }: CallPointContext,
): object {
  const found = placed.find((point) => point.phase === phase)
  if (found === undefined) return {}
  const { entry, order } = found
  const usual = CALL_POINT_DEFAULTS[type][phase]
  const written: Omit<WholeCallPoint, 'order'> = {
    async: entry.async,
    modifier: entry.modifier,
    required: entry.required,
    inputFields: entry.input_fields_include,
    outputFields: entry.output_fields_write,
    timeoutMs: entry.timeout,
  }
  const changed = Object.entries(written).filter(([key, value]) => !isUsual(usual, key, value))
  const point = {
    ...(order === undefined ? {} : { order }),
    ...Object.fromEntries(changed),
    ...(phase === 'request' && type !== 'Broker' && entry.output_fields_write.includes('gl_path')
      ? { rerouteTo: entry.reroute_to ?? target.routers }
      : {}),
  }
  return Object.keys(point).length === 0 && type !== 'Custom' ? {} : { [phase]: point }
}

function isUsual(usual: WholeCallPoint | undefined, key: string, value: unknown): boolean {
  const own = Object.entries(usual ?? {}).find(([name]) => name === key)?.[1]
  return Array.isArray(own) && Array.isArray(value) ? sameSet(own, value) : own === value
}

function sameSet(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item))
}
