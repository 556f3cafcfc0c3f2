import { setTimeout as pause } from 'node:timers/promises'

/** Calls `ask` until it returns true; rejects after `timeoutMs` (default two minutes). */
export async function waitUntil(what: string, ask: () => Promise<boolean>, timeoutMs = 120_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await ask())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await pause(100)
  }
}
