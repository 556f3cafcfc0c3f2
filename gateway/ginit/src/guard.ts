import { spawn } from 'node:child_process'
import type { Logger } from '@llm-gateway/conf'

/** Ends the services should this process be killed. */
export type Guard = {
  /** A service that leads a process group of its own. */
  add(pid: number): void
  /** The service has ended. */
  remove(pid: number): void
  /** Nothing is left to guard. */
  close(): void
}

export type GuardOptions = {
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Between SIGTERM and SIGKILL. */
  readonly graceSeconds?: number
}

/** Calls end and records leave meanwhile; nobody is there who would know how long that may take. */
const GRACE_SECONDS = 60
/** The guard's process has this name: `make stop` and the next `make run` find it by that. */
const NAME = 'ginit-guard'
/**
 * The end of its input is the end of the supervisor, however that came about. Ports stay taken until the services are gone,
 * so that it stays until then, with the supervisor's output open: whoever reads that knows when all is over.
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

/** A shell beside this process: Node can't ask the kernel to end children with their parent. */
export function startGuard({ logger, graceSeconds = GRACE_SECONDS }: GuardOptions): Guard {
  const guard = spawn('/bin/sh', ['-c', SCRIPT, NAME, `${graceSeconds}`], {
    stdio: ['pipe', 'inherit', 'ignore'],
    env: {},
    // A signal to the supervisor's group must not end the guard.
    detached: true,
  })
  const { stdin } = guard
  const lost = (error: Error): void => {
    const code = 'code' in error ? error.code : error.name
    logger.warn({ code, means: 'services go on when this process is killed' }, 'guard of the services is gone')
  }
  guard.on('error', lost)
  stdin.on('error', lost)
  if (guard.pid !== undefined) logger.info({ guard: guard.pid, supervisor: process.pid }, 'guard of the services runs')
  guard.unref()
  return {
    add: (pid) => void stdin.write(`+ ${pid}\n`),
    remove: (pid) => void stdin.write(`- ${pid}\n`),
    close: () => void stdin.end(),
  }
}
