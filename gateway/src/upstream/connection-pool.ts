import type { Pool as PoolOptions } from 'undici'
import symbols from 'undici/lib/core/symbols.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import poolBase from 'undici/lib/dispatcher/pool-base.js'

/** The most clients of a pool of which some have no connection. */
const KEPT_CLIENTS = 64

/**
 * The connections to one LLM API. Each connection has a client, which undici's pool keeps when the connection has ended,
 * so that the pool keeps a client for each of the most connections that it ever had at once: 4,000 took 7 MiB.
 */
export class ConnectionPool extends Pool {
  /** The place of the open connection that was found last. */
  #found = 0

  constructor(origin: string | URL, options: PoolOptions.Options) {
    super(origin, options)
    this.on('disconnect', (_, targets) => this.#retire(targets.at(-1)))
  }

  /**
   * 1 where a connection is open, otherwise 0. undici's agent asks at each loss of a connection whether another is left,
   * and undici's pool counts all of them: 3,000 connections that end at one moment took 100 ms of a turn. This pool looks
   * for one, beginning where it found the last one.
   */
  get [symbols.kConnected](): number {
    const clients = this[poolBase.kClients]
    for (let looked = 0; looked < clients.length; looked += 1) {
      const at = (this.#found + looked) % clients.length
      if (clients[at]?.[symbols.kConnected] !== true) continue
      this.#found = at
      return 1
    }
    return 0
  }

  /** A retired client makes the calls that it already has. */
  #retire(client: unknown): void {
    const clients = this[poolBase.kClients]
    const found = clients.length > KEPT_CLIENTS ? clients.find((kept) => kept === client) : undefined
    if (found !== undefined) this[poolBase.kRetireClient](found)
  }
}
