import type { Socket } from 'node:net'
import type { BusClient } from '../fake/bus-client.ts'
import type { RunningGatewayProcess } from '../fake/gateway-process.ts'
import type { NatsServer } from '../fake/nats-server.ts'
import type { CallOptions, CallOutcome } from './make-call.ts'
import type { RawLlmOptions, RawScript, ScriptedCalls } from './raw-llm.ts'
import type { RecordTally } from './side-processes.ts'

/**
 * The gateway that an attack meets. `shared` has the shipped limits and serves every attack of a class; `own` may be
 * ended or re-configured by the attack; `no bus` has no bus; `journal` writes each record to disk before its answer ends;
 * `small heap` has 512 MB; `short limits` waits seconds instead of the shipped minutes.
 */
export type GatewayKind = 'shared' | 'own' | 'no bus' | 'journal' | 'small heap' | 'short limits'

/** An attempt to harm a gateway's other callers. */
export type Attack = {
  readonly name: string
  /** The rule that the attack tries to break, in addition to the bounds of every attack. */
  readonly rule: string
  readonly gateway?: GatewayKind
  /** Runs only in the long form (WATCHDOG=1 and `make soak`). */
  readonly long?: true
  /**
   * Set if the attack takes away the bus or the gateway, so that the neighbour's records or calls can't be complete.
   */
  readonly spares?: 'records' | 'calls'
  /** MiB that the gateway may hold more than before, after a garbage collection. */
  readonly keepsMib?: number
  /** Returns the violations of the rule that the attack's own parties saw; empty if there were none. */
  readonly run: (tools: AttackTools) => Promise<readonly string[]>
}

/** The tools of an attack. Everything that the attack opens or starts with them ends with it. */
export type AttackTools = {
  readonly gateway: RunningGatewayProcess
  readonly nats: NatsServer
  readonly bus: BusClient
  readonly tally: RecordTally
  /** A unique text: the first segment behind a router's path, and the name of the attack's payloads. */
  readonly tag: string
  /** Returns a size or count unchanged in the watchdog, and a smaller value in the soak. */
  sized(most: number): number
  /** Returns a path of a hostile router, with the tag. */
  path(router: Router): string
  /** Answers this attack's calls on the hostile LLM API. */
  answer(script: RawScript, how?: RawLlmOptions): ScriptedCalls
  /** Sets the replies of this attack's processors: JSON text for each message. */
  reply(reply: (text: string) => Uint8Array | undefined): void
  /** Makes a complete call. The answer is read and dropped. */
  call(options: CallOptions): Promise<CallOutcome>
  /** Opens a connection to the gateway, or to another port of it, that only the attack reads. */
  open(port?: number): Promise<Socket>
  pause(milliseconds: number): Promise<void>
}

/** Leads to an https LLM API where nothing listens; each call opens a connection of its own. */
export const ENCRYPTED = '/encrypted/'

/**
 * The hostile routers. `/hostile/` has no processor; `/watched/` has an async response processor with all fields;
 * `/added/` has one that adds a field in each phase; `/replaced/` has one that replaces payload, headers and control.
 */
export const ROUTERS = ['/hostile/', '/watched/', '/added/', '/replaced/'] as const
export type Router = (typeof ROUTERS)[number]
