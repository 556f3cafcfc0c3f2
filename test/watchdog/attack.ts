import type { Socket } from 'node:net'
import type { BusClient } from '../fake/bus-client.ts'
import type { RunningGatewayProcess } from '../fake/gateway-process.ts'
import type { NatsServer } from '../fake/nats-server.ts'
import type { Ask, Outcome } from './ask.ts'
import type { RawAnswering, RawScript, RawScripted } from './raw-llm.ts'
import type { RecordTally } from './side-processes.ts'

/**
 * Which gateway an attack meets: `shared` has the shipped limits and serves every attack of a class, `own` is one that the
 * attack may end or re-configure, `no bus` has none, `small heap` has 512 MB, `short limits` waits seconds where the shipped
 * one waits minutes.
 */
export type GatewayKind = 'shared' | 'own' | 'no bus' | 'small heap' | 'short limits'

/** One way to hurt a gateway's other callers. */
export type Attack = {
  readonly name: string
  /** The rule that the attack tries to break, beside the bounds that every attack is held to. */
  readonly rule: string
  readonly gateway?: GatewayKind
  /** Runs in the long form only (WATCHDOG=1 and `make soak`). */
  readonly long?: true
  /** The attack takes the bus or the gateway away: the neighbour's records or calls can't all be there. */
  readonly spares?: 'records' | 'calls'
  /** MiB that the gateway may hold more than before, once its garbage was collected. */
  readonly keepsMib?: number
  /** Returns what the attack's own parties saw against the rule; nothing when all was well. */
  readonly run: (place: Place) => Promise<readonly string[]>
}

/** What an attack has at hand. Whatever it opens or starts here ends with it. */
export type Place = {
  readonly gateway: RunningGatewayProcess
  readonly nats: NatsServer
  readonly bus: BusClient
  readonly tally: RecordTally
  /** A text that no other attack has: the first segment behind a router's path, and the name of its payloads. */
  readonly tag: string
  /** A size or count as it is in the watchdog, any smaller one in the soak. */
  sized(most: number): number
  /** A path of one of the hostile routers, with the tag. */
  path(router: Router): string
  /** Answers this attack's calls on the hostile LLM API. */
  answer(script: RawScript, how?: RawAnswering): RawScripted
  /** Replies as this attack's processors do: JSON text per message. */
  reply(reply: (text: string) => Uint8Array | undefined): void
  /** A whole call; its answer is read and dropped. */
  ask(ask: Ask): Promise<Outcome>
  /** A connection to the gateway, or to another port of it, that nobody reads until the attack does. */
  open(port?: number): Promise<Socket>
  pause(milliseconds: number): Promise<void>
}

/**
 * The hostile routers: `/hostile/` has no processor; `/watched/` an async response processor that takes all fields;
 * `/added/` one that adds a field in each phase; `/replaced/` one that replaces payload, headers and control.
 */
export const ROUTERS = ['/hostile/', '/watched/', '/added/', '/replaced/'] as const
export type Router = (typeof ROUTERS)[number]
