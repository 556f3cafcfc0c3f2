import { ResponseReader } from '../../bench/response-reader.ts'
import type { Attack, AttackTools } from '../attack.ts'
import { longString, MIB, SMALL_ANSWER, wholeAnswer } from '../bodies.ts'
import { CROWDS } from './crowds.ts'
import { UPSTREAM_CONNECTIONS } from './upstream-connections.ts'

export const CONNECTIONS: readonly Attack[] = [
  ...UPSTREAM_CONNECTIONS,
  ...CROWDS,
  {
    name: 'a steady slow reader',
    rule: 'a caller that keeps reading is never cut off, however slowly it reads',
    gateway: 'short limits',
    run: async (tools) => {
      const body = longString(tools.sized(24 * MIB), 'x')
      const scripted = tools.answer(async ({ write }) => void (await write(wholeAnswer(body))))
      const ask = { port: tools.gateway.port, path: tools.path('/hostile/'), body: '{}' }
      const outcome = await tools.call({ ...ask, bytesPerSecond: body.length / 8 })
      scripted.end()
      return outcome.complete
        ? []
        : [`cut after ${outcome.bytes} of ${body.length} bytes, ${Math.round(outcome.milliseconds)} ms`]
    },
  },
  {
    name: 'a pipelined second call',
    rule: 'a call’s time limits begin with the call',
    gateway: 'short limits',
    run: async (tools) => {
      const scripted = tools.answer(async ({ write }) => {
        await tools.pause(3_500)
        await write(SMALL_ANSWER)
      })
      // The complete first answer waits for its reader, and the second call is longer than that limit.
      const body = longString(tools.sized(16 * MIB), 'x')
      const head = `POST /echo/ HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
      const statuses = await sendPipelined(
        tools,
        Buffer.concat([Buffer.from(head), body, Buffer.from(smallCall(tools))]),
        2,
      )
      scripted.end()
      return statuses.join() === '200,200'
        ? []
        : [`two pipelined calls were answered with ${statuses.join() || 'nothing'}`]
    },
  },
  {
    name: '1,500 pipelined requests',
    rule: 'a connection’s calls are made one after the other',
    run: async (tools) => {
      const scripted = tools.answer(async ({ write }) => {
        await tools.pause(20)
        await write(SMALL_ANSWER)
      })
      const socket = await tools.open()
      socket.resume()
      socket.write(smallCall(tools).repeat(tools.sized(1_500)))
      await tools.pause(2_000)
      scripted.end()
      return scripted.mostAtOnce <= 16 ? [] : [`${scripted.mostAtOnce} upstream calls at once`]
    },
  },
  {
    name: '2,000 connections with eight bodies of 60 KB behind a running call each',
    rule: 'requests that wait behind a running call are bounded, as everything that callers send',
    run: async (tools) => {
      const scripted = tools.answer(() => tools.pause(60_000))
      const body = longString(60_000, 'x')
      const head = `POST /echo/${tools.tag}/ HTTP/1.1\r\nHost: gateway\r\nContent-Length: ${body.length}\r\n\r\n`
      const waiting = Buffer.concat(Array.from({ length: 8 }, () => [Buffer.from(head), body]).flat())
      for (let opened = 0; opened < tools.sized(2_000); opened += 1) {
        const socket = await tools.open()
        socket.write(smallCall(tools))
        socket.write(waiting)
      }
      await tools.pause(10_000)
      scripted.end()
      return []
    },
  },
  {
    name: '100 silent connections to the admin port',
    rule: '/readyz answers despite other connections',
    run: async (tools) => {
      const admin = new URL(tools.gateway.adminUrl ?? '')
      for (let count = 0; count < tools.sized(100); count += 1) await tools.open(Number(admin.port))
      const outcome = await tools.call({ port: Number(admin.port), path: '/readyz', method: 'GET', timeoutMs: 5_000 })
      return outcome.status === 200 ? [] : [`/readyz: ${outcome.status} after ${Math.round(outcome.milliseconds)} ms`]
    },
  },
  {
    name: '200 connections without a request at the exit',
    rule: 'a connection without a call does not delay the exit',
    gateway: 'own',
    spares: 'calls',
    run: async (tools) => {
      const sockets = await Promise.all(Array.from({ length: tools.sized(200) }, () => tools.open()))
      for (const [index, socket] of sockets.entries())
        if (index % 2 === 0) socket.write('POST /echo/ HTTP/1.1\r\nHost: g')
      const began = performance.now()
      tools.gateway.kill('SIGTERM')
      const exit = await Promise.race([tools.gateway.exited, tools.pause(30_000)])
      const seconds = (performance.now() - began) / 1_000
      if (exit === undefined) return ['the gateway did not end within 30 s']
      return seconds < 10 && exit.code === 0 ? [] : [`ended with ${exit.code} after ${seconds.toFixed(1)} s`]
    },
  },
  {
    name: '1,000 connections that come and go',
    rule: 'connections without a request make no call fail',
    run: async (tools) => {
      for (let round = 0; round < 10; round += 1) {
        const sockets = await Promise.all(Array.from({ length: tools.sized(100) }, () => tools.open()))
        for (const socket of sockets) socket.resetAndDestroy()
      }
      return []
    },
  },
  ...[
    { shape: 'one long line', lines: `X-Long: ${'x'.repeat(60_000)}` },
    { shape: 'short lines', lines: 'a:b\r\n'.repeat(12_000) },
  ].map(
    ({ shape, lines }): Attack => ({
      name: `10,000 connections with a head of ${shape} that does not end`,
      rule: 'heads that have not arrived completely are bounded, as everything that callers send',
      run: async (tools) => {
        const head = Buffer.from(`POST /echo/ HTTP/1.1\r\nHost: gateway\r\n${lines}`)
        for (let opened = 0; opened < tools.sized(10_000); opened += 1) {
          const socket = await tools.open()
          socket.write(head)
        }
        await tools.pause(2_000)
        return []
      },
    }),
  ),
  {
    name: '300 TLS greetings and other noise',
    rule: 'bytes that are not HTTP are refused at once',
    run: async (tools) => {
      const noises = [
        Buffer.from([22, 3, 1, 2, 0, 1]),
        Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
        Buffer.alloc(65_536, 10),
        Buffer.alloc(65_536),
      ]
      for (let round = 0; round < tools.sized(75); round += 1) {
        const sockets = await Promise.all(noises.map(() => tools.open()))
        for (const [index, socket] of sockets.entries()) socket.end(noises[index] ?? '')
      }
      return []
    },
  },
  {
    name: '200 callers that leave before their answer',
    rule: 'a caller that leaves cancels its upstream call and affects no other call',
    run: async (tools) => {
      const scripted = tools.answer(() => tools.pause(60_000))
      const sockets = await Promise.all(Array.from({ length: tools.sized(200) }, () => tools.open()))
      for (const socket of sockets) socket.write(smallCall(tools))
      await tools.pause(500)
      for (const socket of sockets) socket.destroy()
      await tools.pause(500)
      scripted.end()
      return []
    },
  },
]

/** Writes calls at once and returns the statuses that come. */
async function sendPipelined(tools: AttackTools, bytes: Buffer, calls: number): Promise<readonly number[]> {
  const statuses: number[] = []
  const socket = await tools.open()
  await new Promise<void>((resolve) => {
    const reader = new ResponseReader({
      firstByte: () => undefined,
      end: ({ status }) => {
        statuses.push(status)
        if (statuses.length === calls) resolve()
      },
    })
    socket.on('data', (chunk: Buffer) => reader.take(chunk))
    socket.once('close', () => resolve())
    socket.write(bytes)
  })
  return statuses
}

function smallCall(tools: AttackTools): string {
  const head = `POST ${tools.path('/hostile/')} HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json`
  return `${head}\r\nContent-Length: 2\r\n\r\n{}`
}
