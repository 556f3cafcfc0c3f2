import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Waits until a process stands still after SIGSTOP: each thread runs until the signal reaches it. */
export async function untilStopped(pid: number): Promise<void> {
  while (!threadsOf(pid).every(isStopped)) await pause(1)
}

function threadsOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/stat`)
}

/** Reads the state behind the name in parentheses; the name may contain anything. */
function isStopped(file: string): boolean {
  const text = readFileSync(file, 'utf8')
  return text.slice(text.lastIndexOf(')')).startsWith(') T')
}
