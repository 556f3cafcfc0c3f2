// The parts of undici that the gateway loads. `undici` itself loads its `fetch`, caches and mocks, too: 9 MiB of
// resident memory.
declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici'
  export = buildConnector
}

declare module 'undici/lib/core/symbols.js' {
  const symbols: {
    readonly kClose: unique symbol
    readonly kConnected: unique symbol
    readonly kDestroyed: unique symbol
    readonly kOnError: unique symbol
    readonly kParser: unique symbol
    readonly kPending: unique symbol
    readonly kSize: unique symbol
  }
  export = symbols
}

declare module 'undici/lib/core/util.js' {
  import type { Socket } from 'node:net'

  const util: { destroy(socket: Socket, error: Error): void }
  export = util
}

declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'
  export = Agent
}

declare module 'undici/lib/dispatcher/client.js' {
  import { Client as UndiciClient } from 'undici'
  import symbols from 'undici/lib/core/symbols.js'

  class Client extends UndiciClient {
    /** The calls that the client has, and those that wait for it. */
    readonly [symbols.kSize]: number;
    /** Called with each error of an open connection. */
    [symbols.kOnError]: (error: Error) => void
  }
  export = Client
}

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool as UndiciPool } from 'undici'
  import symbols from 'undici/lib/core/symbols.js'
  import poolBase from 'undici/lib/dispatcher/pool-base.js'

  type Client = { readonly [symbols.kPending]: number; readonly destroyed: boolean; close(): Promise<void> }
  class Pool extends UndiciPool {
    readonly [poolBase.kClients]: readonly Client[];
    [poolBase.kRetireClient](client: Client): void
    [symbols.kClose](): Promise<unknown>
  }
  export = Pool
}

declare module 'undici/lib/dispatcher/pool-base.js' {
  const poolBase: { readonly kClients: unique symbol; readonly kRetireClient: unique symbol }
  export = poolBase
}
