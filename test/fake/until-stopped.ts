import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Until a process that was sent SIGSTOP stands still: each of its threads goes on until the signal reaches it. */
export async function untilStopped(pid: number): Promise<void> {
  while (!threadsOf(pid).every(isStopped)) await pause(1)
}

function threadsOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/stat`)
}

/** The state stands behind the name, which may hold anything. */
function isStopped(file: string): boolean {
  const text = readFileSync(file, 'utf8')
  return text.slice(text.lastIndexOf(')')).startsWith(') T')
}
