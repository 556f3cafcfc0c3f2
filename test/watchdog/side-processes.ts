import { DEFAULT_BUS_PREFIX, loggerSubject } from '@llm-gateway/protocol'
import { startBenchProcess } from '../bench/bench-process.ts'
import { freePort } from '../fake/free-port.ts'
import type { NatsServer } from '../fake/nats-server.ts'
import { type Program, startProgram } from '../fake/program.ts'

export type SeenCalls = {
  readonly calls: number
  readonly worstMs: number
  /** When the slowest call ended (Unix ms). */
  readonly worstEndedMs: number
  readonly middleMs: number
  /** Status, or an error's code, and how often it came. */
  readonly statuses: Readonly<Record<string, number>>
}

export type NeighbourOrder =
  | { readonly kind: 'begin'; readonly gatewayPort: number; readonly floorPort: number; readonly tag: string }
  | { readonly kind: 'end' }

/** The neighbour's calls through the gateway, and the same ones through the bare proxy beside it. */
export type NeighbourReport = { readonly gateway: SeenCalls; readonly control: SeenCalls }

export type Neighbour = {
  readonly llmPort: number
  /** Calls the gateway and the bare proxy every 20 ms, with payloads of this name. */
  begin(gatewayPort: number, tag: string): Promise<void>
  /** Ends that; resolves when the last answer has come or was given up. */
  end(): Promise<NeighbourReport>
  stop(): Promise<void>
}

export type TallyOrder = { readonly tag: string; readonly forget?: boolean }
export type TallyReport = {
  /** Different records of the tag. */
  readonly came: number
  /** Calls of which two records came, under two ids. */
  readonly twice: number
  /** Records of every tag and of none. */
  readonly total: number
  readonly lostConnection: boolean
}

export type RecordTally = {
  count(tag: string): Promise<TallyReport>
  /** Until so many different records of the tag have come, or the time is over; forgets the tag. */
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
