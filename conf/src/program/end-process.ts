import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Ends the process although one of its threads waits for a file: `process.exit` would wait for that thread. The first
 * process of a container can't kill itself, but it can become another program, which ends with the exit code.
 */
export function endProcess(exitCode: number): void {
  if (process.platform !== 'win32' && process.execve !== undefined)
    process.execve(process.execPath, [process.execPath, '--eval', `process.exit(${exitCode})`], {})
  process.kill(process.pid, 'SIGKILL')
}

/** The requests that a thread works on; `process.getActiveResourcesInfo` names them. */
const THREAD_REQUEST = /^(?:FSReq|GetAddrInfoReq|GetNameInfoReq)/
/** The longest wait in milliseconds for threads, so that a file of a sound disk needs no other program. */
const THREADS_MS = 500
const CHECK_MS = 5

/** Ends the process by `process.exit`, and by `endProcess` where a thread of it still waits for a file or a host's address. */
export async function exitProcess(exitCode: number): Promise<void> {
  const endMs = performance.now() + THREADS_MS
  while (isThreadBusy() && performance.now() < endMs) await sleep(CHECK_MS)
  if (isThreadBusy()) endProcess(exitCode)
  process.exit(exitCode)
}

function isThreadBusy(): boolean {
  return process.getActiveResourcesInfo().some((name) => THREAD_REQUEST.test(name))
}
