// The parts of undici that the gateway loads. `undici` itself loads its `fetch`, caches and mocks, too: 9 MiB of
// resident memory.
declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici'
  export = buildConnector
}

declare module 'undici/lib/core/symbols.js' {
  const symbols: { readonly kConnected: unique symbol }
  export = symbols
}

declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'
  export = Agent
}

declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export = Client
}

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool as UndiciPool } from 'undici'
  import symbols from 'undici/lib/core/symbols.js'
  import poolBase from 'undici/lib/dispatcher/pool-base.js'

  type Client = { readonly [symbols.kConnected]: boolean }
  class Pool extends UndiciPool {
    readonly [poolBase.kClients]: readonly Client[];
    [poolBase.kRetireClient](client: Client): void
  }
  export = Pool
}

declare module 'undici/lib/dispatcher/pool-base.js' {
  const poolBase: { readonly kClients: unique symbol; readonly kRetireClient: unique symbol }
  export = poolBase
}
