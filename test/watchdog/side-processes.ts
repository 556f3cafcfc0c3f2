import { DEFAULT_BUS_PREFIX, loggerSubject } from '@llm-gateway/protocol'
import { startBenchProcess } from '../bench/bench-process.ts'
import { freePort } from '../fake/free-port.ts'
import type { NatsServer } from '../fake/nats-server.ts'
import { type Program, startProgram } from '../fake/program.ts'

export type SeenCalls = {
  readonly calls: number
  readonly worstMs: number
  /** The end of the slowest call (Unix ms). */
  readonly worstEndedMs: number
  readonly middleMs: number
  /** Number of calls by status or error code. */
  readonly statuses: Readonly<Record<string, number>>
}

export type NeighbourOrder =
  | { readonly kind: 'begin'; readonly gatewayPort: number; readonly floorPort: number; readonly tag: string }
  | { readonly kind: 'end' }

/** The neighbour's calls through the gateway, and the same calls through the bare proxy. */
export type NeighbourReport = { readonly gateway: SeenCalls; readonly control: SeenCalls }

export type Neighbour = {
  readonly llmPort: number
  /** Starts calls to the gateway and the bare proxy every 20 ms, with payloads of this name. */
  begin(gatewayPort: number, tag: string): Promise<void>
  /** Ends the calls. Resolves when the last answer has come or was given up. */
  end(): Promise<NeighbourReport>
  stop(): Promise<void>
}

export type TallyOrder = { readonly tag: string; readonly forget?: boolean }
export type TallyReport = {
  /** Number of different records of the tag. */
  readonly came: number
  /** Number of calls with two records under two ids. */
  readonly twice: number
  /** Number of all records, with or without a tag. */
  readonly total: number
  readonly lostConnection: boolean
  /**
   * The serials below the largest one whose record did not come, with the message id of the record before, and the first
   * serial above the largest.
   */
  readonly missing: readonly { readonly serial: number; readonly idBefore: string }[]
}

export type RecordTally = {
  count(tag: string): Promise<TallyReport>
  /** Waits until `count` different records of the tag have come or time is up, then forgets the tag. */
  settled(tag: string, count: number, timeoutMs?: number): Promise<TallyReport>
  stop(): Promise<void>
}

const ORDER_MS = 90_000
const FLOOR = new URL('../bench/floor.cjs', import.meta.url).pathname

export async function startNeighbour(): Promise<Neighbour> {
  const child = startBenchProcess('../watchdog/neighbour.ts', [], [])
  const { llmPort } = await child.next<{ llmPort: number }>()
  const floorPort = await freePort()
  const floor: Program = await startProgram({
    command: process.execPath,
    args: [FLOOR, String(floorPort), `http://127.0.0.1:${llmPort}`],
  })
  const order = (order: NeighbourOrder): Promise<NeighbourReport> => child.ask<NeighbourReport>(order, ORDER_MS)
  return {
    llmPort,
    begin: async (gatewayPort, tag) => void (await order({ kind: 'begin', gatewayPort, floorPort, tag })),
    end: () => order({ kind: 'end' }),
    stop: async () => {
      await child.stop()
      await floor.stop()
    },
  }
}

export async function startTally(nats: NatsServer): Promise<RecordTally> {
  const args = [String(nats.port), nats.token ?? '', loggerSubject(DEFAULT_BUS_PREFIX)]
  const child = startBenchProcess('../watchdog/tally.ts', args, [])
  await child.next()
  const count = (order: TallyOrder): Promise<TallyReport> => child.ask<TallyReport>(order, ORDER_MS)
  return {
    count: (tag) => count({ tag }),
    settled: async (tag, wanted, timeoutMs = 15_000) => {
      const end = performance.now() + timeoutMs
      while ((await count({ tag })).came < wanted && performance.now() < end) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return await count({ tag, forget: true })
    },
    stop: () => child.stop(),
  }
}
