import { answerTogether } from '../answer-together.ts'
import type { Attack, AttackTools } from '../attack.ts'
import { answerHead, longString, MIB, repeatText, SMALL_ANSWER, wholeAnswer } from '../bodies.ts'

const NEXT = 'a connection that a call has broken carries no further call'
/** More 1xx answers to one call are an attack. */
const MOST_INTERIM = 16

/** Attacks by LLM APIs on their connections. */
export const UPSTREAM_CONNECTIONS: readonly Attack[] = [
  {
    name: 'an early 401 while 8 MB are unread, then the next calls',
    rule: NEXT,
    run: async (tools) => {
      const refusal = Buffer.from('HTTP/1.1 401 No\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}')
      const path = tools.path('/hostile/')
      const body = longString(tools.sized(8 * MIB), 'x')
      const early = tools.answer(
        async ({ socket, write }) => {
          await write(refusal)
          // Like servers that linger: the rest of the body stays unread, and the connection closes later.
          await tools.pause(3_000)
          socket.destroy()
        },
        { on: 'head' },
      )
      const first = await tools.call({ port: tools.gateway.port, path, body })
      early.end()
      const scripted = tools.answer(({ write }) => void write(SMALL_ANSWER))
      const next = await sendCalls(tools, 5)
      scripted.end()
      return [...(first.status === 401 ? [] : [`the 401 became ${first.status}`]), ...next]
    },
  },
  {
    name: '60 early answers to bodies of 30 MiB that are hardly read',
    rule: 'a body counts until its connection has taken it',
    run: async (tools) => {
      const refusal = Buffer.from('HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\n{}')
      const early = tools.answer(
        async ({ socket, write }) => {
          await write(refusal)
          socket.pause()
          // Some bytes now and then, so that the connection counts as reading.
          while (!socket.destroyed) {
            await tools.pause(500)
            socket.resume()
            await tools.pause(1)
            socket.pause()
          }
        },
        { on: 'head' },
      )
      const ask = {
        port: tools.gateway.port,
        path: tools.path('/hostile/'),
        // The connection of a smaller body takes another call, which this LLM API would never answer.
        body: longString(Math.max(MIB, tools.sized(30 * MIB)), 'x'),
      }
      let refused = 0
      for (let calls = 0; calls < 60; calls += 1) if ((await tools.call(ask)).status === 401) refused += 1
      early.end()
      return refused > 0 ? [] : ['no call was answered early']
    },
  },
  interim('an unasked 100 Continue', '1xx answers are passed over', 1, 'HTTP/1.1 100 Continue\r\n\r\n'),
  interim('ten early hints', '1xx answers are passed over', 10, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
  interim(
    '10,000 times 100 Continue',
    '1xx answers, however many, affect only their own call',
    10_000,
    'HTTP/1.1 100 Continue\r\n\r\n',
  ),
  interim(
    '1,000 early hints of 3 KB',
    '1xx answers, however many, affect only their own call',
    1_000,
    `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(3_000)}\r\n\r\n`,
  ),
  {
    name: '103 every 100 ms',
    rule: '1xx answers don’t prolong outbound_headers_timeout_ms',
    gateway: 'short limits',
    run: async (tools) => {
      const scripted = tools.answer(async ({ write }) => {
        while (await write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')) await tools.pause(100)
      })
      const outcome = await tools.call({
        port: tools.gateway.port,
        path: tools.path('/hostile/'),
        body: '{}',
        timeoutMs: 12_000,
      })
      scripted.end()
      return outcome.status === 504
        ? []
        : [`${outcome.status} after ${Math.round(outcome.milliseconds)} ms instead of 504`]
    },
  },
  {
    name: '100 answers that are reset in the middle',
    rule: NEXT,
    run: async (tools) => {
      const scripted = tools.answer(async ({ socket, write }) => {
        await write(answerHead({ length: 1_000 }))
        socket.resetAndDestroy()
      })
      await sendCalls(tools, tools.sized(100))
      scripted.end()
      return []
    },
  },
  {
    name: '3,000 idle connections that an LLM API ends at one moment',
    rule: 'one turn takes no more of many connections than of one',
    run: async (tools) => {
      const connections = tools.sized(3_000)
      const { sockets } = await answerTogether(tools, connections)
      const scripted = tools.answer(({ write }) => void write(SMALL_ANSWER))
      for (const socket of sockets) socket.end()
      const next = await sendCalls(tools, 20)
      scripted.end()
      return sockets.size < connections / 2 ? [`only ${sockets.size} connections`, ...next] : next
    },
  },
  {
    name: 'two answers to one call',
    rule: NEXT,
    run: async (tools) => {
      const doubled = Buffer.concat([SMALL_ANSWER, wholeAnswer(Buffer.from('{"stolen":1}'), { status: '418 Stolen' })])
      const scripted = tools.answer(({ write }) => void write(doubled))
      const broken = await sendCalls(tools, 20)
      scripted.end()
      return broken
    },
  },
  {
    name: 'a chunk of 2^60 bytes',
    rule: 'an announced size takes no memory before its bytes arrive',
    run: async (tools) => {
      const bytes = `${answerHead({})}fffffffffffffff\r\n`
      const scripted = tools.answer(async ({ socket, write }) => {
        await write(bytes)
        await write(repeatText(MIB, 'x'))
        socket.destroy()
      })
      await Promise.all(
        Array.from({ length: 20 }, () =>
          tools.call({ port: tools.gateway.port, path: tools.path('/hostile/'), body: '{}', timeoutMs: 5_000 }),
        ),
      )
      scripted.end()
      return []
    },
  },
]

function interim(name: string, rule: string, count: number, text: string): Attack {
  return {
    name,
    rule,
    run: async (tools) => {
      const before = Buffer.from(text.repeat(tools.sized(count)))
      const scripted = tools.answer(async ({ write }) => void (await write(Buffer.concat([before, SMALL_ANSWER]))))
      const broken = await sendCalls(tools, 3)
      scripted.end()
      // A flood may be refused; a few may not.
      return count > MOST_INTERIM ? [] : broken
    },
  }
}

/** Makes calls one after another. Each must get 200 soon. */
async function sendCalls(tools: AttackTools, calls: number): Promise<readonly string[]> {
  const wrong: string[] = []
  for (let count = 0; count < calls; count += 1) {
    const { status, milliseconds } = await tools.call({
      port: tools.gateway.port,
      path: tools.path('/hostile/'),
      body: '{}',
      timeoutMs: 10_000,
    })
    if (status !== 200 || milliseconds > 2_500) wrong.push(`${status} after ${Math.round(milliseconds)} ms`)
  }
  return wrong.length === 0 ? [] : [`${wrong.length} of ${calls} calls: ${wrong.slice(0, 3).join(', ')}`]
}
