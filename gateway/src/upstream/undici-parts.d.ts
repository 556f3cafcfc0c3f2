// The parts of undici that the gateway loads. `undici` itself loads its `fetch`, caches and mocks, too: 9 MiB of
// resident memory.
declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici'
  export = buildConnector
}

declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'
  export = Agent
}
