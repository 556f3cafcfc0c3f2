import { once } from 'node:events'
import { type Attack, type AttackTools, ENCRYPTED } from '../attack.ts'

const CROWD = 'one turn takes no more of many connections than of one'
/** Lines of the largest head that the gateway reads (`header_bytes`). */
const MOST_LINES = 10_000

type Crowd = {
  readonly name: string
  readonly connections: number
  /** Each connection has had an answer before. */
  readonly kept?: true
  /** The bytes that each connection sends at once. */
  readonly bytes: (tools: AttackTools) => string
  readonly toAdmin?: true
}

const get = (path: string, lines = ''): string => `GET ${path} HTTP/1.1\r\nHost: gateway\r\n${lines}\r\n`

const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: gateway\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** A chunked body up to the end of its last chunk, where its trailers begin. */
const chunkedPost = (tag: string): string =>
  `POST /echo/${tag}/ HTTP/1.1\r\nHost: gateway\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n`

/** Connections that are open already and send at the same moment. */
const SENDERS: readonly Attack[] = (
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
      name: '3,000 connections with one call each',
      connections: 3_000,
      bytes: ({ path }) => `POST ${path('/hostile/')} HTTP/1.1\r\nHost: gateway\r\nContent-Length: 2\r\n\r\n{}`,
    },
    {
      name: '3,000 connections with one call to /echo/ each',
      connections: 3_000,
      bytes: () => `POST /echo/ HTTP/1.1\r\nHost: gateway\r\nContent-Length: 2\r\n\r\n{}`,
    },
    {
      name: '300 connections with one call to an https LLM API each',
      connections: 300,
      bytes: ({ tag }) => get(`${ENCRYPTED}${tag}/`),
    },
    {
      name: '400 heads whose Connection lists 29,000 names',
      connections: 400,
      kept: true,
      bytes: ({ tag }) => get(`/echo/${tag}/`, `Connection: ${'a,'.repeat(29_000)}b\r\n`),
    },
    {
      name: '400 heads whose Transfer-Encoding lists 29,000 codings',
      connections: 400,
      kept: true,
      bytes: ({ tag }) => get(`/echo/${tag}/`, `Transfer-Encoding: ${'a,'.repeat(29_000)}chunked\r\n`),
    },
    {
      name: '9,000 connections with a compressed body behind a head of 60 KB each',
      connections: 9_000,
      kept: true,
      bytes: () => {
        const lines = `X-Long: ${'x'.repeat(60_000)}\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n`
        return `POST /echo/ HTTP/1.1\r\nHost: gateway\r\n${lines}\r\n{}`
      },
    },
    {
      name: '400 bodies with 10,000 lines of trailers',
      connections: 400,
      kept: true,
      bytes: ({ tag }) => `${chunkedPost(tag)}${'a:b\r\n'.repeat(MOST_LINES)}\r\n`,
    },
    {
      name: '1,800 bodies whose trailers don’t end',
      connections: 1_800,
      bytes: ({ tag }) => `${chunkedPost(tag)}${'aa:bb\r\n'.repeat(8_500)}`,
    },
    {
      name: '400 heads of 10,000 header lines that don’t end',
      connections: 400,
      kept: true,
      bytes: () => `GET /nobody/ HTTP/1.1\r\nHost: gateway\r\n${'a:b\r\n'.repeat(MOST_LINES)}`,
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
      name: '1,000 connections with a call to /echo/ each',
      connections: 1_000,
      bytes: ({ tag }) => get(`/echo/${tag}/`),
    },
    {
      name: '1,000 connections with a body of 60 KB of short values each',
      connections: 1_000,
      bytes: () => post('/echo/', `[${'{}, \n'.repeat(10_000)}{}]`),
    },
    {
      name: '1,000 connections with a text of 60 KB of NUL each, whose records fill their queue',
      connections: 1_000,
      bytes: () => post('/echo/', '\0'.repeat(60_000)),
    },
    {
      name: '200 targets of 29,000 parameters at once',
      connections: 200,
      bytes: ({ tag }) => get(`/echo/${tag}/?${'a&'.repeat(29_000)}`),
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

export const CROWDS: readonly Attack[] = [
  ...SENDERS,
  {
    name: '1,000 callers that leave their calls at once',
    rule: CROWD,
    run: async (tools) => {
      const scripted = tools.answer(() => tools.pause(60_000))
      const sockets = await Promise.all(Array.from({ length: tools.sized(1_000) }, () => tools.open()))
      for (const [index, socket] of sockets.entries()) {
        socket.write(get(tools.path('/hostile/')))
        if (index % 50 === 0) await tools.pause(50)
      }
      while (scripted.calls < sockets.length) await tools.pause(50)
      for (const socket of sockets) socket.destroy()
      await tools.pause(1_000)
      scripted.end()
      return []
    },
  },
]

function crowd({ name, connections, kept, bytes, toAdmin }: Crowd): Attack {
  return {
    name,
    rule: CROWD,
    run: async (tools) => {
      const port = toAdmin === undefined ? tools.gateway.port : Number(new URL(tools.gateway.adminUrl ?? '').port)
      const sockets = await Promise.all(Array.from({ length: tools.sized(connections) }, () => tools.open(port)))
      const text = bytes(tools)
      if (kept === true) {
        for (const socket of sockets) socket.write(get('/nobody/'))
        await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'data'), once(socket, 'close')])))
      }
      for (const socket of sockets) {
        socket.resume()
        socket.write(text)
      }
      await tools.pause(2_000)
      return []
    },
  }
}
