import { readFile } from 'node:fs/promises'

/** USER_HZ, which Linux reports to user space as 100 on every machine. */
const TICKS_PER_SECOND = 100

/** Returns user and system CPU seconds of the processes and their running children, from /proc/PID/stat. */
export async function cpuSeconds(pids: readonly number[]): Promise<number> {
  let ticks = 0
  for (const pid of await withChildren(pids)) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The command's name is in brackets and may contain spaces, so the fields are counted behind it, from field 3.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks / TICKS_PER_SECOND
}

/** Returns the resident MiB of the processes and their children, from /proc/PID/status. */
export async function residentMegabytes(pids: readonly number[]): Promise<number> {
  let kilobytes = 0
  for (const pid of await withChildren(pids)) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    kilobytes += Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0)
  }
  return kilobytes / 1024
}

async function withChildren(pids: readonly number[]): Promise<readonly number[]> {
  const all: number[] = []
  for (const pid of pids) {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
    all.push(pid, ...(await withChildren(children.split(' ').filter(Boolean).map(Number))))
  }
  return all
}
