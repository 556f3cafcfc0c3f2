import type { Attack, AttackTools } from '../attack.ts'

const CROWD = 'one turn takes no more of many connections than of one'
/** Lines of the largest head that the gateway reads (`header_bytes`). */
const MOST_LINES = 10_000

type Crowd = {
  readonly name: string
  readonly connections: number
  /** The bytes that each connection sends at once. */
  readonly bytes: (tools: AttackTools) => string
  readonly toAdmin?: true
}

const get = (path: string, lines = ''): string => `GET ${path} HTTP/1.1\r\nHost: gateway\r\n${lines}\r\n`

/** Connections that are open already and send at the same moment. */
export const CROWDS: readonly Attack[] = (
  [
    {
      name: '300 connections with 200 pipelined calls to no router each',
      connections: 300,
      bytes: () => get('/nobody/').repeat(200),
    },
    {
      name: '300 connections with 200 pipelined calls to /echo/ each',
      connections: 300,
      bytes: ({ tag }) => get(`/echo/${tag}/`).repeat(200),
    },
    {
      name: '300 connections with 200 pipelined upgrades each',
      connections: 300,
      bytes: () => get('/nobody/', 'Connection: Upgrade\r\nUpgrade: h2c\r\n').repeat(200),
    },
    {
      name: '30 connections with 1,500 pipelined calls to no router each',
      connections: 30,
      bytes: () => get('/nobody/').repeat(1_500),
    },
    {
      name: '100 heads of 10,000 header lines at once',
      connections: 100,
      bytes: () => get('/nobody/', 'a: b\r\n'.repeat(MOST_LINES)),
    },
    {
      name: '300 connections with 200 pipelined scrapes each',
      connections: 300,
      bytes: () => get('/metrics').repeat(200),
      toAdmin: true,
    },
    {
      name: '100 connections with 8 pipelined calls of /status with 3,900 parameters each',
      connections: 100,
      bytes: () => get(`/status?${'a&'.repeat(3_900)}`).repeat(8),
      toAdmin: true,
    },
  ] satisfies Crowd[]
).map(crowd)

function crowd({ name, connections, bytes, toAdmin }: Crowd): Attack {
  return {
    name,
    rule: CROWD,
    run: async (tools) => {
      const port = toAdmin === undefined ? tools.gateway.port : Number(new URL(tools.gateway.adminUrl ?? '').port)
      const sockets = await Promise.all(Array.from({ length: tools.sized(connections) }, () => tools.open(port)))
      const text = bytes(tools)
      for (const socket of sockets) {
        socket.resume()
        socket.write(text)
      }
      await tools.pause(2_000)
      return []
    },
  }
}
