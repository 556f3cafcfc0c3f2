import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { runningProcess } from './running.ts'

type Folder = { readonly folder: string; readonly say: (line: string) => void }

/** Ends a `make run` of this folder and waits until its services are gone; returns the exit code. */
export async function stopRunning({ folder, say }: Folder): Promise<number> {
  const file = join(folder, 'pid')
  const running = runningProcess(file)
  if (running === undefined) {
    say('make run is not running in this folder')
    return 0
  }
  if (running.kind === 'run') process.kill(running.pid, 'SIGTERM')
  while (runningProcess(file)?.kind === 'run') await delay(100)
  await untilEnded({ folder, say })
  say('stopped')
  return 0
}

/** Waits until no service of a killed run is left; each ends within a minute. */
export async function untilEnded({ folder, say }: Folder): Promise<void> {
  const file = join(folder, 'pid')
  if (runningProcess(file)?.kind !== 'ending') return
  say('an earlier make run in this folder was killed; waiting until its services have ended')
  while (runningProcess(file)?.kind === 'ending') await delay(100)
}
