import { errorCode, type Logger } from '@llm-gateway/sdk'
import { readEndpointAnswer } from './endpoint-answer.ts'
import type { Recognizer } from './recognizer.ts'

export type EndpointOptions = {
  readonly url: string
  /** May hold secrets: never logged. */
  readonly headers: Headers
  readonly timeoutMs: number
  readonly logger: Logger
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Asks an HTTP endpoint: POST `{"text"}`. Says in the log when it begins to fail and when it works again. */
export function createEndpointRecognizer(options: EndpointOptions): Recognizer {
  const ending = new AbortController()
  let failing = false
  return {
    entities: async (text) => {
      try {
        const found = readEndpointAnswer(await ask(text, options, ending.signal), text)
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
    // The headers are for this place alone.
    redirect: 'manual',
    signal: AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)]),
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new EndpointError(`HTTP_${response.status}`)
  }
  return await jsonOf(response)
}

async function jsonOf(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop cancels the rest.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) throw new EndpointError('ANSWER_TOO_LARGE')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString())
}

function codeOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'ANSWER_NOT_JSON'
  if (error instanceof DOMException) return error.name === 'TimeoutError' ? 'TIMEOUT' : 'ABORTED'
  // What failed below fetch is its error's cause.
  return errorCode(error instanceof TypeError ? error.cause : error)
}

/** Why an endpoint gave no answer; the code is for logs. */
class EndpointError extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.name = 'EndpointError'
    this.code = code
  }
}
