import { Agent, request } from 'node:https'

export type ApiAccess = {
  readonly url: string
  /** PEM. */
  readonly authority: string
  readonly token: string
}
export type ApiAnswer = { readonly status: number; readonly body: string }

const TIMEOUT_MS = 30_000

/** Calls a Kubernetes API on a connection of its own; rejects without an answer. */
export function apiRequest(
  { url, authority, token }: ApiAccess,
  path: string,
  body?: Readonly<Record<string, unknown>>,
): Promise<ApiAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ApiAnswer>()
  const call = request(new URL(path, url), {
    method: body === undefined ? 'GET' : 'POST',
    agent: new Agent({ ca: authority }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  call.on('error', reject)
  call.on('response', (answer) => {
    let text = ''
    answer.setEncoding('utf8')
    answer.on('data', (chunk: string) => {
      text += chunk
    })
    answer.on('error', reject)
    answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }))
  })
  call.end(body === undefined ? undefined : JSON.stringify(body))
  return promise
}

/** Returns whether the server reports itself ready. */
export async function isApiReady(access: ApiAccess): Promise<boolean> {
  try {
    return (await apiRequest(access, '/readyz')).status === 200
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}
