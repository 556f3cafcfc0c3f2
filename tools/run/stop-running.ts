import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { runningProcess } from './running.ts'

/** Ends a `make run` of this folder and waits until it is gone; answers the exit code. */
export async function stopRunning({ folder, say }: { folder: string; say: (line: string) => void }): Promise<number> {
  const file = join(folder, 'pid')
  const pid = runningProcess(file)
  if (pid === undefined) {
    say('nothing runs here')
    return 0
  }
  process.kill(pid, 'SIGTERM')
  while (runningProcess(file) === pid) await delay(100)
  say('stopped')
  return 0
}
