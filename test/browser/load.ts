import { setTimeout as delay } from 'node:timers/promises'

export type Load = AsyncDisposable & {
  /** Number of ended calls. */
  readonly ended: number
  /** Waits until `ended` calls have ended. */
  until(ended: number): Promise<void>
  /** Waits for the end of all calls. Names each kind of failure once. */
  stop(): Promise<{ readonly ended: number; readonly failures: readonly string[] }>
}

export type LoadOptions = {
  /** The gateway's URL. */
  readonly url: string
  /** Called in turn. */
  readonly paths: readonly string[]
  readonly perSecond: number
}

const TICK_MS = 5
/**
 * Bound that protects the process's file descriptors on a busy machine; further calls come later, and none is left out.
 */
const MOST_RUNNING = 500
const BODY = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] })

/** Calls at a steady rate while fewer than 500 calls run. Every answer but 200 is a failure. */
export function startLoad({ url, paths, perSecond }: LoadOptions): Load {
  const failures: string[] = []
  const running = new Set<Promise<void>>()
  const began = performance.now()
  let sent = 0
  let ended = 0
  const call = async (path: string): Promise<void> => {
    const failure = await failureOf(url + path)
    ended += 1
    if (failure !== undefined) failures.push(`${path}: ${failure}`)
  }
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1000) * perSecond
    for (; sent < due && running.size < MOST_RUNNING; sent += 1) {
      const one = call(paths[sent % paths.length] ?? '/').finally(() => running.delete(one))
      running.add(one)
    }
  }, TICK_MS)
  const stop = async () => {
    clearInterval(timer)
    await Promise.all(running)
    return { ended, failures: [...new Set(failures)] }
  }
  return {
    get ended() {
      return ended
    },
    until: async (count) => {
      while (ended < count) await delay(TICK_MS)
    },
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}

async function failureOf(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: BODY })
    await answer.arrayBuffer()
    return answer.status === 200 ? undefined : `status ${answer.status}`
  } catch (error) {
    return error instanceof Error ? `${error.message} ${String(error.cause)}` : String(error)
  }
}
