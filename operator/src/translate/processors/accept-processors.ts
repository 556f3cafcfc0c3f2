import type { PROCESSOR_REASONS, Processor } from '@llm-gateway/crds'
import type { Steps } from '../steps.ts'
import { isNeverRead } from '../unreadable.ts'
import { callPointOf, callPointsOf } from './call-points.ts'
import { configBytes, configFault } from './custom-config.ts'
import { processorObjectName } from './processor-names.ts'

/**
 * The verdict whether a Processor takes part in calls: condition Accepted of docs/reference/kubernetes.md#conditions.
 */
export type ProcessorAcceptance = {
  readonly processor: Processor
  readonly reason: (typeof PROCESSOR_REASONS.Accepted)[number]
  readonly message: string
}

type Refusal = Pick<ProcessorAcceptance, 'reason' | 'message'>
/** Checks a Processor against older, accepted Processors. Returns why the Processor is refused; undefined: it isn't. */
type Rule = (processor: Processor, older: readonly Processor[]) => Refusal | undefined

/** The most Processors of a gateway. The gateway takes some times as many entries in its rows. */
const MAX_PROCESSORS = 1_000
/**
 * The most characters of the names of fields in the call points of all Processors. Packed, such names take half of a
 * ConfigMap; the rest of a row packs well.
 */
const MAX_FIELD_CHARACTERS = 512 * 1024
/** The most bytes of the configurations of all Custom Processors, of which each pass makes a copy. */
const MAX_CONFIG_BYTES = 8 * 1024 * 1024

/** A sum that the accepted Processors of a gateway may not exceed together. */
type Room = {
  readonly takenBy: (processor: Processor) => number
  readonly most: number
  readonly refusal: Refusal
}

const ROOMS: readonly Room[] = [
  {
    takenBy: fieldCharacters,
    most: MAX_FIELD_CHARACTERS,
    refusal: invalid(
      `The call points of all Processors may name fields of ${MAX_FIELD_CHARACTERS} characters; name fewer fields.`,
    ),
  },
  {
    takenBy: ({ spec }) => configBytes(spec.custom?.config),
    most: MAX_CONFIG_BYTES,
    refusal: invalid(`custom.config of all Processors may have ${MAX_CONFIG_BYTES / 1024 ** 2} MiB; shorten some.`),
  },
]

/** Judges all Processors of a gateway, the older first. A refused Processor keeps no other Processor out. */
export function* acceptProcessors(processors: readonly Processor[]): Steps<readonly ProcessorAcceptance[]> {
  const accepted: Processor[] = []
  const acceptances: ProcessorAcceptance[] = []
  const taken = new Map<Room, number>()
  const sumWith = (processor: Processor, room: Room) => (taken.get(room) ?? 0) + room.takenBy(processor)
  for (const processor of byAge(processors)) {
    const judged = acceptProcessor(processor, accepted)
    const full = judged.reason === 'Accepted' && ROOMS.find((room) => sumWith(processor, room) > room.most)
    const acceptance = full ? { processor, ...full.refusal } : judged
    acceptances.push(acceptance)
    if (acceptance.reason === 'Accepted') {
      accepted.push(processor)
      for (const room of ROOMS) taken.set(room, sumWith(processor, room))
    }
    yield
  }
  return acceptances
}

function acceptProcessor(processor: Processor, older: readonly Processor[]): ProcessorAcceptance {
  for (const rule of isNeverRead(processor) ? NAME_RULES : RULES) {
    const refusal = rule(processor, older)
    if (refusal !== undefined) return { processor, ...refusal }
  }
  return { processor, reason: 'Accepted', message: 'The gateway calls this Processor.' }
}

/** Returns 0 for a Processor whose spec was never read. */
function fieldCharacters(processor: Processor): number {
  if (isNeverRead(processor)) return 0
  const names = callPointsOf(processor).flatMap(([, point]) => [...point.inputFields, ...point.outputFields])
  return names.reduce((sum, name) => sum + name.length + '"",'.length, 0)
}

/** Sorts by creationTimestamp, which has whole seconds, then by name. */
function byAge(processors: readonly Processor[]): readonly Processor[] {
  const key = ({ metadata }: Processor) => `${metadata.creationTimestamp} ${metadata.name}`
  return processors.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** Each type of shipped program has one subject: two of a type would take each other's calls, with other settings. */
const oneOfAType: Rule = ({ spec }, older) => {
  const other = spec.type === 'Custom' ? undefined : older.find((processor) => processor.spec.type === spec.type)
  if (other === undefined) return undefined
  return invalid(
    `The gateway already has a ${spec.type}, Processor ${other.metadata.name}: both would have one subject.`,
  )
}

const noRequiredAfterTheAnswer: Rule = (processor) => {
  const phase = callPointsOf(processor).find(([, { async, required }]) => async && required)?.[0]
  return phase && invalid(`${phase}: an async call comes after the answer and can't be required; set required: false.`)
}

const brokerHasPools: Rule = ({ spec }) =>
  spec.type === 'Broker' && spec.routers !== undefined
    ? invalid('The gateway calls a Broker for the Routers of its pools; leave routers out.')
    : undefined

const noReplayOfAReplay: Rule = ({ spec }) => {
  const replays = spec.type === 'Mock' ? (spec.routers ?? []) : []
  const path = replays.find((replayed) => replayed.startsWith('/mock/'))
  return path === undefined ? undefined : invalid(`The path ${path} is itself a replay of a Mock.`)
}

/** A program writes a field once for a router, and doesn't start where two patterns write the same field. */
const oneFieldAPattern: Rule = ({ spec }) => {
  const seen = new Set<string>()
  for (const { routers = ['default'], field = 'regex' } of spec.regex?.patterns ?? []) {
    for (const router of routers) {
      if (seen.has(`${router} ${field}`)) return invalid(`regex.patterns: two patterns write ${field} on ${router}.`)
      seen.add(`${router} ${field}`)
    }
  }
  return undefined
}

const configFits: Rule = ({ spec }) => {
  const fault = configFault(spec.custom?.config)
  return fault === undefined ? undefined : invalid(fault)
}

/** Objects of the gateway and of the Processor with one name would replace each other again and again. */
const noNameOfTheGateway: Rule = ({ metadata, spec }) => {
  const name = processorObjectName(metadata.name)
  return name === spec.gatewayRef.name
    ? invalid(`The objects of the gateway already have the name ${name}.`)
    : undefined
}

/** Members of a row run side by side, so where two replace a field one result would be lost. */
const noTwoModifiers: Rule = (processor, older) => {
  for (const [phase, point] of callPointsOf(processor).filter(([, { modifier }]) => modifier)) {
    for (const other of older) {
      const theirs = callPointOf(other, phase)
      if (theirs?.modifier !== true || theirs.order !== point.order) continue
      const field = point.outputFields.find((name) => theirs.outputFields.includes(name))
      if (field === undefined) continue
      const message = `${phase}: Processor ${other.metadata.name} modifies ${field} in row ${point.order} already.`
      return { reason: 'FieldConflict', message }
    }
  }
  return undefined
}

const roomForAll: Rule = (_, older) =>
  older.length < MAX_PROCESSORS ? undefined : invalid(`The gateway already has ${MAX_PROCESSORS} Processors.`)

/** Rules that need no spec, for a Processor whose spec was never read. */
const NAME_RULES = [oneOfAType, noNameOfTheGateway, roomForAll] as const

const RULES = [
  oneOfAType,
  noRequiredAfterTheAnswer,
  brokerHasPools,
  noReplayOfAReplay,
  oneFieldAPattern,
  configFits,
  noNameOfTheGateway,
  noTwoModifiers,
  roomForAll,
] as const

function invalid(message: string): Refusal {
  return { reason: 'InvalidParameters', message }
}
