import type { Pool as UndiciPool } from 'undici'
import symbols from 'undici/lib/core/symbols.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import poolBase from 'undici/lib/dispatcher/pool-base.js'

/**
 * The connections to one LLM API. At each loss of a connection undici's agent asks whether another is left, and undici's
 * pool counts all of them: 3,000 connections that end at one moment took 100 ms of a turn. This pool looks for one,
 * beginning where it found the last one.
 */
export class ConnectionPool extends Pool {
  #found = 0

  constructor(origin: string | URL, options: UndiciPool.Options) {
    super(origin, options)
  }

  /** 1 where a connection is open, otherwise 0. */
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
}
