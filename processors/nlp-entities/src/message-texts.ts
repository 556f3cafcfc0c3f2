import { answerTexts, isJsonObject, type PayloadText, pathSegments, requestTexts } from '@llm-gateway/protocol'

/**
 * The paths of texts in a payload, such as `messages[*].content`, where `[*]` is every member of an array; absent:
 * texts are found where the dialects of the known LLM APIs put them.
 */
export type TextPaths = {
  readonly request?: readonly string[] | undefined
  readonly response?: readonly string[] | undefined
}

export type MessageTextsOptions = {
  readonly paths: TextPaths
  /** Paths of single routers, used when the row selects `gl_path`. */
  readonly routers: ReadonlyMap<string, TextPaths>
}

/** A path may match more members than any call has messages. */
const MAX_TEXTS = 100_000
const INDEX = /^(?:0|[1-9][0-9]*)$/

/** Compiles the paths. The function returns the texts of one message of the gateway; undefined without a payload. */
export function compileMessageTexts(
  options: MessageTextsOptions,
): (fields: ReadonlyMap<string, unknown>) => readonly string[] | undefined {
  return (fields) => {
    const path = fields.get('gl_path')
    const own = typeof path === 'string' ? options.routers.get(path) : undefined
    if (fields.has('outbound_payload')) {
      return textsOfPayload(fields.get('outbound_payload'), own?.request ?? options.paths.request, requestTexts)
    }
    if (fields.has('egress_payload')) {
      return textsOfPayload(fields.get('egress_payload'), own?.response ?? options.paths.response, answerTexts)
    }
    return undefined
  }
}

function textsOfPayload(
  payload: unknown,
  paths: readonly string[] | undefined,
  inDialects: (payload: unknown) => readonly PayloadText[],
): readonly string[] {
  const texts = paths === undefined ? written(inDialects(payload)) : textsAt(payload, paths)
  return texts.filter((text) => text.trim() !== '')
}

/** Leaves out the JSON of tools' arguments and results, which has no sentences. */
function written(texts: readonly PayloadText[]): readonly string[] {
  return texts.filter(({ kind }) => kind === 'written').map(({ text }) => text)
}

function textsAt(payload: unknown, paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => pathSegments(path).reduce(step, [payload]).flatMap(textsOf))
}

function step(values: readonly unknown[], segment: string): readonly unknown[] {
  return values.flatMap((value) => members(value, segment)).slice(0, MAX_TEXTS)
}

function members(value: unknown, segment: string): readonly unknown[] {
  if (Array.isArray(value)) {
    if (segment === '*') return value
    return INDEX.test(segment) ? [value[Number(segment)]] : []
  }
  return isJsonObject(value) && Object.hasOwn(value, segment) ? [value[segment]] : []
}

/** Returns the texts of a content: a text, or an array of parts, of which text parts have one. */
function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap((part) => {
    if (typeof part === 'string') return [part]
    return isJsonObject(part) && Object.hasOwn(part, 'text') && typeof part.text === 'string' ? [part.text] : []
  })
}
