import { setImmediate as nextTurn } from 'node:timers/promises'
import { isJsonObject } from '@llm-gateway/protocol'
import { countText, type TextCount } from './count-text.ts'
import { ENCODING_NAMES, type Encoding, type EncodingName, loadEncoding } from './encodings.ts'

export type CountRequest = { readonly texts: readonly string[]; readonly encodings: readonly EncodingName[] }
/** The sums over all texts, one for each of the request's encodings, in their order. */
export type CountReply = readonly TextCount[]
export type CountCall = {
  /** The limit for the count. */
  readonly timeoutMs?: number
  /** Returns true once nobody waits for the count any more. */
  readonly stopped?: () => boolean
}

/** The limit for counting the texts of one message; later the count is estimated. */
export const COUNTING_MS = 5_000
/** The characters that are counted between two looks at `stopped`; the slowest take some 40 ms. */
const STEP_CHARACTERS = 4_096

/**
 * Loads encodings and makes a function that counts with them; undefined when the count was stopped. A count that needs
 * another encoding loads it. The loading goes on after the count was stopped: where a machine is slow, no count would
 * ever have the encoding else.
 */
export async function createCounting(
  names: readonly EncodingName[],
): Promise<(request: CountRequest, call?: CountCall) => Promise<CountReply | undefined>> {
  const loaded = new Map<EncodingName, Encoding>()
  const loading = new Set<EncodingName>()
  const load = async (name: EncodingName): Promise<void> => {
    loading.add(name)
    loaded.set(name, await loadEncoding(name))
  }
  const encodingOf = async (name: EncodingName, stopped: () => boolean): Promise<Encoding | undefined> => {
    // A rejection ends the thread, and the program logs the loss.
    if (!loading.has(name)) void load(name)
    while (!loaded.has(name) && !stopped()) await nextTurn()
    return loaded.get(name)
  }
  for (const name of names) await load(name)
  return async ({ texts, encodings }, { stopped = () => false } = {}) => {
    const counts: TextCount[] = []
    for (const name of encodings) {
      const encoding = await encodingOf(name, stopped)
      if (encoding === undefined || stopped()) return undefined
      const count = sum(texts, encoding, inSteps(stopped))
      if (count === undefined) return undefined
      counts.push(count)
    }
    return counts
  }
}

/** Returns whether a value received by the thread is a request. */
export function isCountRequest(value: unknown): value is CountRequest {
  if (!isJsonObject(value) || !Array.isArray(value.texts) || !Array.isArray(value.encodings)) return false
  const isEncoding = (name: unknown): boolean => ENCODING_NAMES.some((known) => known === name)
  return value.texts.every((text) => typeof text === 'string') && value.encodings.every(isEncoding)
}

/** Returns a function that is told of all characters before they are counted, and asks `stopped` once a step. */
function inSteps(stopped: () => boolean): (characters: number) => boolean {
  let ofStep = 0
  return (characters) => {
    ofStep += characters
    if (ofStep < STEP_CHARACTERS) return true
    ofStep = 0
    return !stopped()
  }
}

function sum(
  texts: readonly string[],
  encoding: Encoding,
  goesOn: (characters: number) => boolean,
): TextCount | undefined {
  let tokens = 0
  let estimated = false
  for (const text of texts) {
    const count = countText(text, encoding, goesOn)
    if (count === undefined) return undefined
    tokens += count.tokens
    estimated ||= count.estimated
  }
  return { tokens, estimated }
}
