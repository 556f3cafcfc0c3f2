import type { Attack, AttackTools } from '../attack.ts'
import {
  chunked,
  extendedChunks,
  KIB,
  longString,
  MIB,
  nestedArrays,
  nestedObjects,
  numberArray,
  objectWithNames,
  repeatText,
  SMALL_ANSWER,
  shallowObjects,
  singleBytes,
} from '../bodies.ts'

const JUDGED = 'a body is scanned in bounded steps'
const COUNTED = 'bytes of a body count when they arrive, not when they are announced'

type Body = {
  readonly name: string
  readonly body: (tools: AttackTools) => Buffer
  readonly type?: string
  /** The status for the caller. */
  readonly status: number
  readonly calls?: number
}

/** Bodies for `/echo/`, so that only the handling of the body itself is tested. */
const BODIES: readonly Body[] = [
  {
    name: '31 MiB of NUL as text',
    status: 415,
    type: 'text/plain',
    body: ({ sized }) => Buffer.alloc(sized(31 * MIB)),
  },
  { name: '31 MiB of NUL as JSON', status: 400, body: ({ sized }) => Buffer.alloc(sized(31 * MIB)) },
  { name: '31 MiB that are not UTF-8', status: 400, body: ({ sized }) => Buffer.alloc(sized(31 * MIB), 0xff) },
  { name: '31 MiB of nested arrays', status: 400, body: ({ sized }) => nestedArrays(sized(31 * MIB)) },
  { name: '31 MiB of nested objects', status: 400, body: ({ sized }) => nestedObjects(sized(31 * MIB)) },
  { name: '31 MiB of [{},…]', status: 200, body: ({ sized }) => shallowObjects(sized(31 * MIB)) },
  { name: '31 MiB of numbers', status: 200, body: ({ sized }) => numberArray(sized(31 * MIB)) },
  { name: '31 MiB of escapes', status: 200, body: ({ sized }) => longString(sized(31 * MIB), '\\u0000') },
  { name: '31 MiB of lone surrogates', status: 200, body: ({ sized }) => longString(sized(31 * MIB), '\\ud800') },
  { name: '31 MiB of digits', status: 200, body: ({ sized }) => repeatText(sized(31 * MIB), '1') },
  { name: '31 MiB of white space', status: 400, body: ({ sized }) => repeatText(sized(31 * MIB), ' \n') },
  { name: 'white space around 3 million numbers', status: 200, body: ({ sized }) => spacedJson(sized(31 * MIB)) },
  { name: 'a million members', status: 200, body: ({ sized }) => objectWithNames(sized(1_000_000)) },
  {
    name: 'multipart of 31 MiB',
    status: 415,
    type: 'multipart/form-data; boundary=x',
    body: ({ sized }) => repeatText(sized(31 * MIB), '--x\r\n\r\n'),
  },
  {
    name: 'six bodies of 31 MiB of NUL at once',
    status: 415,
    type: 'text/plain',
    calls: 6,
    body: ({ sized }) => Buffer.alloc(sized(31 * MIB)),
  },
]

export const REQUESTS: readonly Attack[] = [
  ...BODIES.map(
    (body): Attack => ({ name: `${body.name} to /echo/`, rule: JUDGED, run: (tools) => sendToEcho(tools, body) }),
  ),
  idle('eight callers that announce 32 MiB and send a byte', 8),
  idle('200 callers that announce 32 MiB and send a byte', 200),
  {
    name: 'four bodies of a million one-byte chunks',
    rule: 'the cost of a body depends on its bytes, not on the number of its chunks',
    run: (tools) => sentRaw(tools, 4, chunked(singleBytes(longString(tools.sized(1_000_000), 'x')))),
  },
  ...['/echo/', '/hostile/', '/nobody/'].map(
    (router): Attack => ({
      name: `100 callers that send 64 KB of one-byte chunks at once to ${router}`,
      rule: 'one turn of the event loop reads no more from many bodies than from a single body',
      run: async (tools) => {
        const sockets = await Promise.all(Array.from({ length: tools.sized(100) }, () => tools.open()))
        const first = head(tools, 'Transfer-Encoding: chunked', `${router}${tools.tag}/`)
        const segment = Buffer.concat([Buffer.from(first), chunked(singleBytes(longString(11_000, 'x')))])
        for (const socket of sockets) {
          socket.resume()
          socket.write(segment)
        }
        await tools.pause(1_000)
        return []
      },
    }),
  ),
  {
    name: '4,000 chunks, each with an extension of 8 KB',
    rule: COUNTED,
    run: (tools) => {
      const extended = Buffer.from(`1;${'x'.repeat(8_000)}\r\n1\r\n`)
      return sentRaw(tools, 1, repeatText(extended.length * tools.sized(4_000), extended.toString()))
    },
  },
  {
    name: '100 callers that send 2 MB of chunk extensions each at once',
    rule: 'one turn of the event loop reads no more of many bodies than of a single body',
    run: (tools) => sentRaw(tools, tools.sized(100), extendedChunks(125)),
  },
  {
    name: '32 MiB of trailers',
    rule: COUNTED,
    run: (tools) =>
      sentRaw(tools, 1, Buffer.concat([Buffer.from('1\r\n1\r\n0\r\n'), repeatText(tools.sized(32 * MIB), 'a: b\r\n')])),
  },
  {
    name: '40 unread answers of 15 MB from /echo/',
    rule: 'unread answers count in the memory account, and calls beyond its bound wait or are refused',
    run: async (tools) => {
      const body = longString(tools.sized(15_000_000), 'x')
      // Sent one after another: together, most would be refused for the bytes of their requests.
      for (let call = 0; call < 40; call += 1) await sendUnread(tools, body)
      await tools.pause(1_000)
      return []
    },
  },
  {
    name: '60 callers that go in the middle of 8 MiB',
    rule: 'the bytes of a caller that has left are freed',
    run: async (tools) => {
      const body = Buffer.alloc(tools.sized(8 * MIB), ' ')
      for (let round = 0; round < 6; round += 1) {
        const sockets = await Promise.all(Array.from({ length: 10 }, () => tools.open()))
        for (const socket of sockets) {
          socket.write(head(tools, `Content-Length: ${body.length + 1}`))
          socket.write(body, () => socket.resetAndDestroy())
        }
        await tools.pause(100)
      }
      return []
    },
  },
  {
    name: '500 callers that send half a head',
    rule: 'a connection without a request delays no call',
    run: async (tools) => {
      const sockets = await Promise.all(Array.from({ length: tools.sized(500) }, () => tools.open()))
      for (const socket of sockets) socket.write('POST /echo/ HTTP/1.1\r\nHost: gateway\r\nContent-Le')
      await tools.pause(1_000)
      return []
    },
  },
  {
    name: '16 calls of 16 MiB at once',
    rule: 'buffered_bytes bounds the process, and only calls beyond it are refused',
    run: async (tools) => {
      const scripted = tools.answer(({ write }) => void write(SMALL_ANSWER))
      const body = longString(tools.sized(16 * MIB), 'x')
      const ask = { port: tools.gateway.port, path: tools.path('/hostile/'), body }
      const outcomes = await Promise.all(Array.from({ length: 16 }, () => tools.call(ask)))
      scripted.end()
      const unexpected = outcomes.filter(({ status }) => status !== 200 && status !== 503 && status !== 408)
      return unexpected.length === 0 ? [] : [`calls ended with ${unexpected.map(({ status }) => status)}`]
    },
  },
]

function idle(name: string, count: number): Attack {
  return {
    name,
    rule: COUNTED,
    run: async (tools) => {
      const sockets = await Promise.all(Array.from({ length: tools.sized(count) }, () => tools.open()))
      for (const socket of sockets) socket.write(`${head(tools, `Content-Length: ${32 * MIB}`)}{`)
      await tools.pause(1_000)
      return []
    },
  }
}

async function sendToEcho(tools: AttackTools, { body, type, status, calls = 1 }: Body): Promise<readonly string[]> {
  const headers = { 'Content-Type': type ?? 'application/json' }
  const ask = { port: tools.gateway.port, path: `/echo/${tools.tag}/`, body: body(tools), headers }
  const outcomes = await Promise.all(Array.from({ length: calls }, () => tools.call(ask)))
  const unexpected = outcomes.find((outcome) => outcome.status !== status && outcome.status !== 503)
  return unexpected === undefined ? [] : [`${unexpected.status} instead of ${status}`]
}

/** Returns a head whose body comes later. */
function head(tools: AttackTools, framing: string, path = tools.path('/hostile/')): string {
  return `POST ${path} HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`
}

/** Sends a chunked body unchanged until the gateway has accepted or refused it. */
async function sentRaw(tools: AttackTools, connections: number, body: Buffer): Promise<readonly string[]> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => tools.open()))
  const taken = sockets.map((socket) => {
    socket.resume()
    socket.write(head(tools, 'Transfer-Encoding: chunked'))
    return new Promise<void>((resolve) => {
      socket.once('close', () => resolve())
      socket.write(body, () => resolve())
    })
  })
  await Promise.all(taken)
  await tools.pause(500)
  return []
}

/** Sends a complete call and never reads the answer. */
async function sendUnread(tools: AttackTools, body: Buffer): Promise<void> {
  const socket = await tools.open()
  socket.pause()
  socket.write(head(tools, `Content-Length: ${body.length}`, '/echo/'))
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
    socket.write(body, () => resolve())
    // A call that waits for room stays waiting.
    setTimeout(resolve, 200)
  })
}

/** Returns an array of single digits, each with ten bytes of white space. */
function spacedJson(bytes: number): Buffer {
  return Buffer.concat([Buffer.from('['), repeatText(bytes - KIB, '1 \n \n \n \n ,'), Buffer.from('1]')])
}
