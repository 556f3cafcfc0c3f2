import { spawn } from 'node:child_process'
import type { Logger } from '@llm-gateway/conf'
import { unblock } from './output.ts'

/** Ends the services if this process is killed. */
export type OrphanGuard = {
  /** Adds a service that leads its own process group. */
  add(pid: number): void
  /** Removes a service that has ended. */
  remove(pid: number): void
  /** Ends the guard without ending services. */
  close(): void
}

export type OrphanGuardOptions = {
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** The seconds between SIGTERM and SIGKILL. */
  readonly graceSeconds?: number
}

/** The seconds in which calls end and records leave; the guard can't read how long the configuration allows. */
const GRACE_SECONDS = 60
/** The name of the guard's process, by which `make stop` and the next `make run` find it. */
const NAME = 'ginit-guard'
/**
 * The script ends the services at the end of its input, which comes even when the supervisor is killed. The guard stays
 * until the services have ended, since they hold their ports, and keeps the supervisor's output open: a reader sees the
 * end of the output only after the last service.
 */
const SCRIPT = `
trap '' HUP INT TERM
pids=
while read -r sign pid; do
  case $sign in
    +) pids="$pids $pid" ;;
    -) rest=
      for one in $pids; do [ "$one" = "$pid" ] || rest="$rest $one"; done
      pids=$rest ;;
  esac
done
[ -z "$pids" ] || kill -s TERM $pids 2>/dev/null
left=$(($1 * 5))
while [ -n "$pids" ]; do
  rest=
  for one in $pids; do
    if [ $left -gt 0 ] && kill -s 0 "$one" 2>/dev/null; then rest="$rest $one"; else kill -s KILL -- "-$one" 2>/dev/null; fi
  done
  pids=$rest
  left=$((left - 1))
  [ -z "$pids" ] || sleep 0.2 || sleep 1
done
`

/** Starts a shell beside this process, since Node can't ask the kernel to end children with their parent. */
export function startOrphanGuard({ logger, graceSeconds = GRACE_SECONDS }: OrphanGuardOptions): OrphanGuard {
  const guard = spawn('/bin/sh', ['-c', SCRIPT, NAME, `${graceSeconds}`], {
    stdio: ['pipe', 'inherit', 'ignore'],
    env: {},
    // A signal to the supervisor's group must not end the guard.
    detached: true,
  })
  unblock(process.stdout)
  const { stdin } = guard
  const lost = (error: Error): void => {
    const code = 'code' in error ? error.code : error.name
    logger.warn({ code, means: 'the services keep running if the supervisor is killed' }, 'guard process ended')
  }
  guard.on('error', lost)
  stdin.on('error', lost)
  if (guard.pid !== undefined) logger.info({ guard: guard.pid, supervisor: process.pid }, 'guard process started')
  guard.unref()
  return {
    add: (pid) => void stdin.write(`+ ${pid}\n`),
    remove: (pid) => void stdin.write(`- ${pid}\n`),
    close: () => void stdin.end(),
  }
}
