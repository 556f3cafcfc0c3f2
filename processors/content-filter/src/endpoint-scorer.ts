import { isBounded, isJsonObject, type JsonBounds } from '@llm-gateway/protocol'
import { SettingsError } from '@llm-gateway/sdk'
import { type Category, highest, NO_SCORES, type Scorer, type Scores, ScoringError, scoresOf } from './scores.ts'
import type { EndpointSettings } from './settings.ts'
import { textWindows } from './text-windows.ts'

/** The inputs of one request, which the endpoint scores together. */
const INPUTS = 16
/** An answer of OpenAI has some 3 KiB and 60 values for each input. The main thread parses it in a few milliseconds. */
const MAX_ANSWER_BYTES = 1024 * 1024
const ANSWER_BOUNDS: JsonBounds = { values: 10_000 }

/** Makes a scorer that asks a moderation endpoint of OpenAI's form. Every failure rejects, without retries. */
export function createEndpointScorer(settings: EndpointSettings): Scorer {
  const url = endpointUrl(settings.url)
  const named = new Map(Object.entries(settings.categories))
  const categories = named.size > 0 ? named : new Map(Object.entries(OPENAI_CATEGORIES))
  return {
    score: async (texts, signal) => {
      const length = texts.reduce((sum, text) => sum + text.length + 1, 0)
      if (length > settings.max_characters) throw new ScoringError('TOO_MUCH_TEXT')
      const windows = [...textWindows(texts, settings.window_characters)].filter((window) => window.trim() !== '')
      let scores = NO_SCORES
      for (let first = 0; first < windows.length; first += INPUTS) {
        const inputs = windows.slice(first, first + INPUTS)
        const answer = await ask(url, settings, { inputs, signal })
        scores = highest(scores, scoresIn(answer, inputs.length, categories))
      }
      return scores
    },
    close: async () => undefined,
  }
}

function endpointUrl(text: string): URL {
  const url = URL.parse(text)
  // A key in an address would be shown wherever the address is shown.
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new SettingsError({ 'endpoint.url': 'http_url:' })
  }
  return url
}

type Question = { readonly inputs: readonly string[]; readonly signal: AbortSignal }

async function ask(url: URL, settings: EndpointSettings, { inputs, signal }: Question): Promise<unknown> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(settings.timeout_ms)])
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(settings.api_key === '' ? {} : { authorization: `Bearer ${settings.api_key}` }),
      },
      body: JSON.stringify({ input: inputs, ...(settings.model === '' ? {} : { model: settings.model }) }),
      // The key and the text must not go to another address.
      redirect: 'error',
      signal: limit,
    })
    if (answer.ok) return await jsonOf(answer)
    await answer.body?.cancel()
    throw new ScoringError(`ENDPOINT_STATUS_${answer.status}`)
  } catch (error) {
    if (error instanceof ScoringError) throw error
    throw new ScoringError(codeOf(error, limit), { cause: error })
  }
}

async function jsonOf(answer: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.body ?? []) {
    length += chunk.length
    if (length > MAX_ANSWER_BYTES) throw new ScoringError('ENDPOINT_TOO_LARGE')
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  if (!isBounded(bytes, ANSWER_BOUNDS)) throw new ScoringError('ENDPOINT_TOO_LARGE')
  return JSON.parse(bytes.toString())
}

function codeOf(error: unknown, limit: AbortSignal): string {
  if (limit.aborted) return 'ENDPOINT_TIMEOUT'
  return error instanceof SyntaxError ? 'ENDPOINT_NOT_JSON' : 'ENDPOINT_UNREACHABLE'
}

/** Returns the highest scores of an answer. Each input must have one result with at least one known category. */
function scoresIn(answer: unknown, inputs: number, categories: ReadonlyMap<string, Category>): Scores {
  const results = isJsonObject(answer) ? answer.results : undefined
  if (!Array.isArray(results) || results.length !== inputs) throw new ScoringError('ENDPOINT_ANSWER')
  return results.map((result) => scoresOfResult(result, categories)).reduce(highest, NO_SCORES)
}

function scoresOfResult(result: unknown, categories: ReadonlyMap<string, Category>): Scores {
  const given = isJsonObject(result) ? result.category_scores : undefined
  if (!isJsonObject(given)) throw new ScoringError('ENDPOINT_ANSWER')
  const found = Object.entries(given).flatMap(([name, score]) => {
    const category = categories.get(name)
    if (category === undefined) return []
    if (typeof score !== 'number' || !(score >= 0 && score <= 1)) throw new ScoringError('ENDPOINT_ANSWER')
    return [{ category, score }]
  })
  if (found.length === 0) throw new ScoringError('ENDPOINT_ANSWER')
  const top = (wanted: readonly (typeof found)[number][]): number => Math.max(0, ...wanted.map(({ score }) => score))
  return scoresOf((category) =>
    // Every other category counts as toxic too.
    category === 'toxicity' ? top(found) : top(found.filter((entry) => entry.category === category)),
  )
}

/** OpenAI's categories → our six categories. Toxicity is the highest of all scores of an answer. */
const OPENAI_CATEGORIES: Readonly<Record<string, Category>> = {
  harassment: 'insult',
  'harassment/threatening': 'threat',
  hate: 'identity_attack',
  'hate/threatening': 'severe_toxicity',
  sexual: 'obscene',
  'sexual/minors': 'severe_toxicity',
  violence: 'toxicity',
  'violence/graphic': 'severe_toxicity',
  'self-harm/instructions': 'toxicity',
  illicit: 'toxicity',
  'illicit/violent': 'toxicity',
}
