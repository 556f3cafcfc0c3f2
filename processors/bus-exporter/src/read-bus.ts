/** The answers of a nats-server's monitoring port; undefined: no answer. */
export type BusAnswers = { readonly varz: unknown; readonly jsz: unknown }

const TIMEOUT_MS = 5_000
/** A bus with 100,000 consumers answers 60 MB, which is too much for a scrape. */
const MOST_BYTES = 16 * 1024 * 1024

/** Reads /varz and /jsz of the bus; never rejects. */
export async function readBus(monitor: URL): Promise<BusAnswers> {
  const [varz, jsz] = await Promise.all([
    answerOf(new URL('/varz', monitor)),
    answerOf(new URL('/jsz?streams=true&consumers=true&config=true', monitor)),
  ])
  return { varz, jsz }
}

async function answerOf(url: URL): Promise<unknown> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
    const text = await limitedText(answer)
    return answer.ok && text !== undefined ? JSON.parse(text) : undefined
  } catch (error) {
    // The server is missing or slow, or its answer isn't JSON; llm_bus_up is 0 then.
    if (error instanceof Error) return undefined
    throw error
  }
}

async function limitedText({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
