import { answerTexts, isJsonObject, type PayloadText, requestTexts } from '@llm-gateway/protocol'
import type { Answer } from '@llm-gateway/sdk'
import type { CountCall, CountReply, CountRequest } from './counting.ts'
import { type EncodingName, encodingOfModel } from './encodings.ts'
import { type Sample, sampleOf, textsOf } from './sample.ts'
import { compileSearchPath } from './search-path.ts'
import { DEFAULT_ROUTER, type TokenizerSettings } from './settings.ts'

export type CountTokensOptions = {
  readonly settings: TokenizerSettings
  /** Counts texts; undefined when counting failed or was stopped. */
  readonly counter: Counting
}

type Counting = {
  count(request: CountRequest, call?: CountCall): Promise<CountReply | undefined> | CountReply | undefined
}
type Message = ReadonlyMap<string, unknown>
type Find = (payload: unknown) => readonly string[]
type RouterPlan = { readonly request: Find; readonly response: Find; readonly encodings: readonly EncodingName[] }

/** The maximum of counted texts in one payload; the count of a payload with more is extrapolated. */
const MAX_TEXTS = 10_000
/** The rough estimate where counting failed. */
const CHARACTERS_PER_TOKEN = 4

/**
 * Answers one message with the tokens of its payload's texts, or with nothing when there is no text
 * (docs/reference/processors.md#tokenizer).
 */
export function createCountTokens({
  settings,
  counter,
}: CountTokensOptions): (message: Message, call?: CountCall) => Promise<Answer> {
  const plans = new Map(settings.routers.map((router) => [router.router, planOf(router)]))
  const bounds = { maxCharacters: settings.max_characters, maxTexts: MAX_TEXTS }
  return async (message, call) => {
    const plan = planFor(message, plans)
    const found = plan === undefined ? [] : findTexts(message, plan)
    if (plan === undefined || found.length === 0) return undefined
    const sample = sampleOf(found, bounds)
    const encodings = settings.by_model ? withEncodingOfModel(message, plan.encodings) : plan.encodings
    const nothing = encodings.map(() => ({ tokens: 0, estimated: false }))
    const counts = sample.texts.length === 0 ? nothing : await counter.count({ texts: sample.texts, encodings }, call)
    return { tokenizer: tokenizerField(encodings, sample, counts) }
  }
}

function planOf(router: TokenizerSettings['routers'][number]): RouterPlan {
  return {
    request: finder(router.request_paths, requestTexts),
    response: finder(router.response_paths, answerTexts),
    encodings: router.encodings,
  }
}

/** Makes a function that finds texts at the paths; without paths, where the dialects of the known LLM APIs put them. */
function finder(paths: readonly string[] | undefined, inDialects: (payload: unknown) => readonly PayloadText[]): Find {
  if (paths === undefined) return (payload) => inDialects(payload).map(({ text }) => text)
  const searches = paths.map(compileSearchPath)
  return (payload) => searches.flatMap((search) => search(payload)).flatMap(textsOf)
}

/** Adds the encoding of the payload's model. An answer names its model too, mostly more exactly. */
function withEncodingOfModel(message: Message, encodings: readonly EncodingName[]): readonly EncodingName[] {
  const payload = message.has('inbound_payload') ? message.get('inbound_payload') : message.get('ingress_payload')
  const own = isJsonObject(payload) ? encodingOfModel(payload.model) : undefined
  return own === undefined || encodings.includes(own) ? encodings : [...encodings, own]
}

/** Returns the plan of the router that answers, else of the router that was called, else the default. */
function planFor(message: Message, plans: ReadonlyMap<string, RouterPlan>): RouterPlan | undefined {
  const names = [message.get('gl_path'), message.get('original_gl_path'), DEFAULT_ROUTER]
  const name = names.find((path) => typeof path === 'string' && plans.has(path))
  return typeof name === 'string' ? plans.get(name) : undefined
}

/** Returns the texts to count. A control answer has no `inbound_payload`, so its request is counted. */
function findTexts(message: Message, plan: RouterPlan): readonly string[] {
  return message.has('inbound_payload')
    ? plan.response(message.get('inbound_payload'))
    : plan.request(message.get('ingress_payload'))
}

function tokenizerField(encodings: readonly string[], sample: Sample, counts: CountReply | undefined): object {
  const tokens = encodings.map((name, index) => {
    const count = counts?.[index]?.tokens
    return [name, count === undefined ? Math.ceil(sample.total / CHARACTERS_PER_TOKEN) : scaled(count, sample)] as const
  })
  const estimated = counts === undefined || sample.sampled < sample.total || counts.some(({ estimated }) => estimated)
  return { ...Object.fromEntries(tokens), ...(estimated ? { estimated } : {}) }
}

function scaled(tokens: number, { sampled, total }: Sample): number {
  return sampled === total ? tokens : Math.round((tokens * total) / sampled)
}
