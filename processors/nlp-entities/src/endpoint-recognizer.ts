import { setImmediate as nextTurn } from 'node:timers/promises'
import { isBounded, isJsonObject, type JsonBounds, jsonMembers } from '@llm-gateway/protocol'
import { errorCode, type Logger } from '@llm-gateway/sdk'
import type { Entity, Recognizer } from './entity.ts'

export type EndpointOptions = {
  readonly url: string
  /** The headers may hold secrets and are never logged. */
  readonly headers: Headers
  readonly timeoutMs: number
  readonly logger: Logger
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** The main thread parses this many values in 30 ms, also where all names differ. 10,000 entities have 40,000. */
const ANSWER_BOUNDS: JsonBounds = { values: 50_000 }

/**
 * Makes a recognizer that asks an HTTP endpoint: POST `{"text"}`. Logs when the endpoint begins to fail and when it
 * works again.
 */
export function createEndpointRecognizer(options: EndpointOptions): Recognizer {
  const ending = new AbortController()
  let failing = false
  return {
    entities: async (text, limitMs = options.timeoutMs) => {
      // After the message's own limit the gateway doesn't wait for the answer.
      const timeoutMs = Math.ceil(Math.min(limitMs, options.timeoutMs))
      try {
        const answer = await ask(text, { ...options, timeoutMs }, ending.signal)
        await nextTurn()
        const found = readEndpointAnswer(answer, text)
        if (found === undefined) throw new EndpointError('ANSWER_SHAPE')
        if (failing) options.logger.info({}, 'entities endpoint answers again')
        failing = false
        return found
      } catch (error) {
        const code = codeOf(error)
        if (!failing) options.logger.warn({ code }, 'entities endpoint failed')
        failing = true
        throw new EndpointError(code)
      }
    },
    close: async () => ending.abort(),
  }
}

async function ask(text: string, { url, headers, timeoutMs }: EndpointOptions, ended: AbortSignal): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ text }),
    // The headers, which may hold secrets, must not go to another address.
    redirect: 'manual',
    signal: AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)]),
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new EndpointError(`HTTP_${response.status}`)
  }
  return await jsonOf(response)
}

/** Parses an answer. A turn follows each step, since a step may take tens of milliseconds and other messages wait. */
async function jsonOf(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let length = 0
  // An exception in the loop cancels the rest of the body.
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > MAX_ANSWER_BYTES) throw new EndpointError('ANSWER_TOO_LARGE')
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const isWhole = isBounded(bytes, ANSWER_BOUNDS)
  await nextTurn()
  return isWhole ? JSON.parse(bytes.toString()) : await entitiesAlone(bytes)
}

/** Parses the member with the entities. spaCy's own form also describes each word of the text, in ten values. */
async function entitiesAlone(bytes: Buffer): Promise<unknown> {
  const members = jsonMembers(bytes, 0) ?? []
  await nextTurn()
  const list = members.find(({ name }) => name === 'entities') ?? members.find(({ name }) => name === 'ents')
  const text = bytes.subarray(list?.start, list?.end)
  if (list === undefined || !isBounded(text, ANSWER_BOUNDS)) throw new EndpointError('ANSWER_TOO_LARGE')
  await nextTurn()
  return { [list.name]: JSON.parse(text.toString()) }
}

function codeOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'ANSWER_NOT_JSON'
  if (error instanceof DOMException) return error.name === 'TimeoutError' ? 'TIMEOUT' : 'ABORTED'
  // fetch wraps an error of the network as its `cause`.
  return errorCode(error instanceof TypeError ? error.cause : error)
}

/** The reason why an endpoint gave no answer; the code is for logs. */
class EndpointError extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.name = 'EndpointError'
    this.code = code
  }
}

const MAX_ENTITIES = 10_000
const MAX_TEXT_LENGTH = 1_000
/** The most characters of all entities, whose places may overlap: as many as the longest text that is sent. */
const MAX_TEXTS_LENGTH = 1_000_000
const LABEL = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/**
 * Reads an endpoint's answer: `{"entities": [{"text", "label"}]}`, or spaCy's `{"ents": [{"start", "end", "label"}]}`,
 * whose places count code points of the sent text. Undefined when any part of the answer has another form.
 */
export function readEndpointAnswer(answer: unknown, sent: string): readonly Entity[] | undefined {
  if (!isJsonObject(answer)) return undefined
  if (Object.hasOwn(answer, 'entities')) return allOf(answer.entities, namedEntity)
  if (!Object.hasOwn(answer, 'ents')) return undefined
  const places = codePointPlaces(sent)
  return allOf(answer.ents, (entry) => placedEntity(entry, sent, places))
}

/** Returns the place in UTF-16 units of each code point of a text, and of the text's end. */
function codePointPlaces(text: string): Uint32Array {
  const places = new Uint32Array(text.length + 1)
  let count = 0
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    places[count] = at
    count += 1
  }
  places[count] = text.length
  return places.subarray(0, count + 1)
}

function allOf(list: unknown, read: (entry: unknown) => Entity | undefined): readonly Entity[] | undefined {
  if (!Array.isArray(list) || list.length > MAX_ENTITIES) return undefined
  const entities: Entity[] = []
  let length = 0
  for (const entry of list) {
    const entity = read(entry)
    length += entity?.text.length ?? 0
    if (entity === undefined || length > MAX_TEXTS_LENGTH) return undefined
    entities.push(entity)
  }
  return entities
}

function namedEntity(entry: unknown): Entity | undefined {
  if (!isJsonObject(entry)) return undefined
  return entityOf(entry.text, entry.label)
}

function placedEntity(entry: unknown, sent: string, places: Uint32Array): Entity | undefined {
  if (!isJsonObject(entry)) return undefined
  const { start, end } = entry
  if (typeof start !== 'number' || typeof end !== 'number') return undefined
  // No code point has a negative or broken number.
  const [from, to] = [places[start], places[end]]
  return from === undefined || to === undefined ? undefined : entityOf(sent.slice(from, to), entry.label)
}

function entityOf(text: unknown, label: unknown): Entity | undefined {
  if (typeof text !== 'string' || typeof label !== 'string' || !LABEL.test(label)) return undefined
  return text === '' || text.length > MAX_TEXT_LENGTH ? undefined : { text, label }
}
