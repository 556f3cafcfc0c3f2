import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GatewayOptions } from '../fake/gateway-addresses.ts'
import { type RunningGatewayProcess, startGatewayProcess } from '../fake/gateway-process.ts'
import { readMetric } from '../fake/metric.ts'

/** A gateway's process and its measurements. */
export type AttackedGateway = {
  readonly process: RunningGatewayProcess
  readonly lives: boolean
  /** Returns the resident MiB; 0 once the process has gone. */
  residentMib(): number
  /** Returns the peak MiB since `resetPeak`; 0 once the process has gone. */
  peakMib(): number
  resetPeak(): void
  /** Begins a full collection of the heap. */
  collect(): void
  /** Returns the memory left after the last collection; undefined before the first. */
  leftMemory(): LeftMemory | undefined
  /** Returns the long turns of the main thread that ended since a time (Unix ms), oldest first. */
  turnsSince(unixMs: number): readonly Turn[]
  close(): Promise<void>
}

/** Bytes, with two names of `process.memoryUsage()`; `heapCode` is the part of `heapUsed` that is compiled code. */
type LeftMemory = Readonly<Record<'heapUsed' | 'heapCode' | 'arrayBuffers', number>>

/** `atMs` is the end of the turn (Unix ms). Passed time beyond the CPU time went to other processes. */
export type Turn = { readonly atMs: number; readonly cpuMs: number; readonly passedMs: number }

const PROBE = new URL('turn-probe.ts', import.meta.url)
/** Writing this text makes the kernel measure the peak anew. */
const RESET_PEAK = '5'

export async function startAttackedGateway(
  options: GatewayOptions & { readonly nodeArguments?: readonly string[] },
): Promise<AttackedGateway> {
  const directory = await mkdtemp(join(tmpdir(), 'llm-gateway-turns-'))
  const turns = join(directory, 'turns')
  appendFileSync(turns, '')
  const probe = `${PROBE.href}?file=${encodeURIComponent(turns)}`
  const gateway = await startGatewayProcess({
    ...options,
    admin: true,
    env: { ...options.env, VALUE: 'a value' },
    nodeArguments: ['--expose-gc', '--import', probe, ...(options.nodeArguments ?? [])],
  })
  let lives = true
  // `exited` only resolves.
  void gateway.exited.then(() => {
    lives = false
  })
  const status = (name: string): number => {
    if (!lives) return 0
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readStatus(gateway.pid))?.[1] ?? 0) / 1_024
  }
  return {
    process: gateway,
    get lives() {
      return lives
    },
    residentMib: () => status('VmRSS'),
    peakMib: () => status('VmHWM'),
    resetPeak: () => writeFileSync(`/proc/${gateway.pid}/clear_refs`, RESET_PEAK),
    collect: () => gateway.kill('SIGUSR2'),
    leftMemory: () => readMemory(`${turns}.memory`),
    turnsSince: (unixMs) => {
      const lines = readFileSync(turns, 'latin1').split('\n').slice(0, -1)
      const all = lines.map((line) => line.split(' ').map(Number))
      return all
        .map(([atMs = 0, cpuMs = 0, passedMs = 0]) => ({ atMs, cpuMs, passedMs }))
        .filter(({ atMs }) => atMs >= unixMs)
    },
    close: async () => {
      // A gateway under attack may wait long for calls that never end.
      await gateway.program.stop(2_000)
      await gateway.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The gateway sends a full spool of 1 GiB in a minute, and a busy bus takes it more slowly. */
const IDLE_MS = 180_000
/** The time for a spool of 1 GiB, the default, to be replayed at its highest speed, and as much again. */
const RECORDS_LEAVE_MS = 110_000
const WAITING_RECORDS = ['llm_gateway_record_queue_bytes', 'llm_gateway_records_spooled_bytes']

/** Waits, for three minutes at most, until no call is under way and no record waits in memory or on disk. */
export async function untilIdle(gateway: AttackedGateway): Promise<void> {
  await untilZero(gateway, ['llm_gateway_inflight_requests', ...WAITING_RECORDS], IDLE_MS)
}

/** Waits until no record waits in memory or on disk; returns the milliseconds. */
export async function untilRecordsLeft(gateway: AttackedGateway): Promise<number> {
  return await untilZero(gateway, WAITING_RECORDS, RECORDS_LEAVE_MS)
}

async function untilZero(gateway: AttackedGateway, names: readonly string[], mostMs: number): Promise<number> {
  const began = performance.now()
  while (gateway.lives && performance.now() - began < mostMs) {
    const counts = await Promise.all(names.map((name) => readMetric(gateway.process, name)))
    if (counts.every((count) => count === 0)) break
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return performance.now() - began
}

const QUIET_MS = 30_000
const LOOK_MS = 500
/** MiB between two polls that count as no change. */
const STEADY_MIB = 1

/** Returns the MiB once garbage was collected and the process gives back no more memory, after 30 s at most. */
export async function steadyMemoryMib(gateway: AttackedGateway): Promise<number> {
  const end = performance.now() + QUIET_MS
  let before = Number.POSITIVE_INFINITY
  for (;;) {
    gateway.collect()
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const now = gateway.residentMib()
    if (now > before - STEADY_MIB || performance.now() > end) return now
    before = now
  }
}

function readMemory(file: string): LeftMemory | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** Returns the CPU milliseconds of the longest turn. */
export function longestTurn(turns: readonly Turn[]): number {
  return Math.max(0, ...turns.map(({ cpuMs }) => cpuMs))
}

/** Reads the status of a process; empty if the process has ended. */
function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1')
  } catch {
    return ''
  }
}
