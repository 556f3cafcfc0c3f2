import type { Attack, Place } from '../attack.ts'
import { answerHead, filled, MIB, oneString, SMALL_ANSWER, wholeAnswer } from '../bodies.ts'
import { seenOn } from '../seen-on.ts'

const NEXT = 'a connection that one call spoiled is never the next one’s'

export const CONNECTIONS: readonly Attack[] = [
  {
    name: 'an early 401 while 8 MB are unread, then the next calls',
    rule: NEXT,
    run: async (place) => {
      const refusal = Buffer.from('HTTP/1.1 401 No\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}')
      const path = place.path('/hostile/')
      const body = oneString(place.sized(8 * MIB), 'x')
      const early = place.answer(
        async ({ socket, write }) => {
          await write(refusal)
          // As servers do that linger: the rest of the body is not read, and the connection goes later.
          await place.pause(3_000)
          socket.destroy()
        },
        { on: 'head' },
      )
      const first = await place.ask({ port: place.gateway.port, path, body })
      early.end()
      const scripted = place.answer(({ write }) => void write(SMALL_ANSWER))
      const next = await sent(place, 5)
      scripted.end()
      return [...(first.status === 401 ? [] : [`the 401 became ${first.status}`]), ...next]
    },
  },
  interim('an unasked 100 Continue', '1xx answers are passed over', 1, 'HTTP/1.1 100 Continue\r\n\r\n'),
  interim(
    '10,000 times 100 Continue',
    '1xx answers are passed over, however many come',
    10_000,
    'HTTP/1.1 100 Continue\r\n\r\n',
  ),
  interim(
    '1,000 early hints of 3 KB',
    '1xx answers are passed over, however many come',
    1_000,
    `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(3_000)}\r\n\r\n`,
  ),
  {
    name: '103 every 100 ms',
    rule: '1xx answers don’t prolong outbound_headers_timeout_ms',
    gateway: 'short limits',
    run: async (place) => {
      const scripted = place.answer(async ({ write }) => {
        while (await write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')) await place.pause(100)
      })
      const outcome = await place.ask({
        port: place.gateway.port,
        path: place.path('/hostile/'),
        body: '{}',
        timeoutMs: 6_000,
      })
      scripted.end()
      return outcome.status === 504
        ? []
        : [`${outcome.status} after ${Math.round(outcome.milliseconds)} ms instead of 504`]
    },
  },
  {
    name: 'a steady slow reader',
    rule: 'whoever reads on is never cut, however slowly',
    gateway: 'short limits',
    run: async (place) => {
      const body = oneString(place.sized(24 * MIB), 'x')
      const scripted = place.answer(async ({ write }) => void (await write(wholeAnswer(body))))
      const ask = { port: place.gateway.port, path: place.path('/hostile/'), body: '{}' }
      const outcome = await place.ask({ ...ask, bytesPerSecond: body.length / 6 })
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
    run: async (place) => {
      const scripted = place.answer(async ({ write }) => {
        await place.pause(1_000)
        await write(SMALL_ANSWER)
      })
      const socket = await place.open()
      const seen = seenOn(socket)
      socket.write(smallCall(place).repeat(3))
      const answers = await seen.until(/(HTTP\/1\.1 .*){3}/s, 8_000)
      scripted.end()
      const good = answers.split('HTTP/1.1 200').length - 1
      return good === 3 ? [] : [`${good} of 3 pipelined calls were answered with 200: ${answers.slice(0, 300)}`]
    },
  },
  {
    name: '1,500 pipelined requests',
    rule: 'a connection’s calls are made one after the other',
    run: async (place) => {
      const scripted = place.answer(async ({ write }) => {
        await place.pause(20)
        await write(SMALL_ANSWER)
      })
      const socket = await place.open()
      socket.resume()
      socket.write(smallCall(place).repeat(place.sized(1_500)))
      await place.pause(2_000)
      scripted.end()
      return scripted.mostAtOnce <= 16 ? [] : [`${scripted.mostAtOnce} upstream calls at once`]
    },
  },
  {
    name: '100 silent connections to the admin port',
    rule: '/readyz answers whoever else is connected',
    run: async (place) => {
      const admin = new URL(place.gateway.adminUrl ?? '')
      for (let count = 0; count < place.sized(100); count += 1) await place.open(Number(admin.port))
      const outcome = await place.ask({ port: Number(admin.port), path: '/readyz', method: 'GET', timeoutMs: 5_000 })
      return outcome.status === 200 ? [] : [`/readyz: ${outcome.status} after ${Math.round(outcome.milliseconds)} ms`]
    },
  },
  {
    name: '200 connections without a request at the exit',
    rule: 'nobody without a call holds up the exit',
    gateway: 'own',
    spares: 'calls',
    run: async (place) => {
      const sockets = await Promise.all(Array.from({ length: place.sized(200) }, () => place.open()))
      for (const [index, socket] of sockets.entries())
        if (index % 2 === 0) socket.write('POST /echo/ HTTP/1.1\r\nHost: g')
      const began = performance.now()
      place.gateway.kill('SIGTERM')
      const exit = await Promise.race([place.gateway.exited, place.pause(30_000)])
      const seconds = (performance.now() - began) / 1_000
      if (exit === undefined) return ['the gateway did not end within 30 s']
      return seconds < 10 && exit.code === 0 ? [] : [`ended with ${exit.code} after ${seconds.toFixed(1)} s`]
    },
  },
  {
    name: '1,000 connections that come and go',
    rule: 'a connection without a request costs nobody a call',
    run: async (place) => {
      for (let round = 0; round < 10; round += 1) {
        const sockets = await Promise.all(Array.from({ length: place.sized(100) }, () => place.open()))
        for (const socket of sockets) socket.resetAndDestroy()
      }
      return []
    },
  },
  {
    name: '300 TLS greetings and other noise',
    rule: 'bytes that are no HTTP are refused at once',
    run: async (place) => {
      const noises = [
        Buffer.from([22, 3, 1, 2, 0, 1]),
        Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
        Buffer.alloc(65_536, 10),
        Buffer.alloc(65_536),
      ]
      for (let round = 0; round < place.sized(75); round += 1) {
        const sockets = await Promise.all(noises.map(() => place.open()))
        for (const [index, socket] of sockets.entries()) socket.end(noises[index] ?? '')
      }
      return []
    },
  },
  {
    name: '200 callers that leave before their answer',
    rule: 'a caller that goes cancels its upstream call and costs no other',
    run: async (place) => {
      const scripted = place.answer(() => place.pause(60_000))
      const sockets = await Promise.all(Array.from({ length: place.sized(200) }, () => place.open()))
      for (const socket of sockets) socket.write(smallCall(place))
      await place.pause(500)
      for (const socket of sockets) socket.destroy()
      await place.pause(500)
      scripted.end()
      return []
    },
  },
  {
    name: '100 answers that are reset in the middle',
    rule: NEXT,
    run: async (place) => {
      const scripted = place.answer(async ({ socket, write }) => {
        await write(answerHead({ length: 1_000 }))
        socket.resetAndDestroy()
      })
      await sent(place, place.sized(100))
      scripted.end()
      return []
    },
  },
  {
    name: 'two answers to one call',
    rule: NEXT,
    run: async (place) => {
      const doubled = Buffer.concat([SMALL_ANSWER, wholeAnswer(Buffer.from('{"stolen":1}'), { status: '418 Stolen' })])
      const scripted = place.answer(({ write }) => void write(doubled))
      const broken = await sent(place, 20)
      scripted.end()
      return broken
    },
  },
  {
    name: 'a chunk of 2^60 bytes',
    rule: 'an announced size is believed when its bytes come',
    run: async (place) => {
      const bytes = `${answerHead({})}fffffffffffffff\r\n`
      const scripted = place.answer(async ({ socket, write }) => {
        await write(bytes)
        await write(filled(MIB, 'x'))
        socket.destroy()
      })
      await Promise.all(
        Array.from({ length: 20 }, () =>
          place.ask({ port: place.gateway.port, path: place.path('/hostile/'), body: '{}', timeoutMs: 5_000 }),
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
    run: async (place) => {
      const before = Buffer.from(text.repeat(place.sized(count)))
      const scripted = place.answer(async ({ write }) => void (await write(Buffer.concat([before, SMALL_ANSWER]))))
      const broken = await sent(place, 3)
      scripted.end()
      return broken
    },
  }
}

/** So many calls one after the other; each has to get 200, and soon. */
async function sent(place: Place, calls: number): Promise<readonly string[]> {
  const wrong: string[] = []
  for (let count = 0; count < calls; count += 1) {
    const { status, milliseconds } = await place.ask({
      port: place.gateway.port,
      path: place.path('/hostile/'),
      body: '{}',
      timeoutMs: 10_000,
    })
    if (status !== 200 || milliseconds > 2_500) wrong.push(`${status} after ${Math.round(milliseconds)} ms`)
  }
  return wrong.length === 0 ? [] : [`${wrong.length} of ${calls} calls: ${wrong.slice(0, 3).join(', ')}`]
}

function smallCall(place: Place): string {
  const head = `POST ${place.path('/hostile/')} HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json`
  return `${head}\r\nContent-Length: 2\r\n\r\n{}`
}
