import type { Attack, AttackTools, Router } from '../attack.ts'
import {
  KIB,
  longString,
  MIB,
  nestedArrays,
  nestedObjects,
  numberArray,
  objectWithNames,
  objectWithOneName,
  repeatText,
  shallowObjects,
  wholeAnswer,
} from '../bodies.ts'

const MERGED = 'a reply is scanned before it is parsed, and affects only its own call'

type Reply = {
  readonly name: string
  readonly field: string
  readonly router?: Router
  readonly calls?: number
  readonly value: (tools: AttackTools) => Buffer
}

const FIELDS: readonly Reply[] = [
  { name: '10 MB of [{},…]', field: 'extra_request', value: ({ sized }) => shallowObjects(sized(10_000_000)) },
  {
    name: '10 MB of [{},…] after the answer',
    field: 'seen',
    router: '/watched/',
    value: ({ sized }) => shallowObjects(sized(10_000_000)),
  },
  {
    name: '10 MB of [{},…] in the response',
    field: 'extra_response',
    value: ({ sized }) => shallowObjects(sized(10_000_000)),
  },
  { name: 'a million members', field: 'extra_request', value: ({ sized }) => objectWithNames(sized(1_000_000)) },
  {
    name: 'a million members as headers',
    field: 'outbound_headers',
    router: '/replaced/',
    value: ({ sized }) => objectWithNames(sized(1_000_000)),
  },
  {
    name: 'a million members as parameters',
    field: 'outbound_query_parameters',
    router: '/replaced/',
    value: ({ sized }) => objectWithNames(sized(1_000_000)),
  },
  {
    name: 'a million members as headers of the answer',
    field: 'egress_headers',
    router: '/replaced/',
    value: ({ sized }) => objectWithNames(sized(1_000_000)),
  },
  { name: '10 MB of nested arrays', field: 'extra_request', value: ({ sized }) => nestedArrays(sized(10_000_000)) },
  {
    name: '10 MB of nested objects as a control',
    field: 'control',
    router: '/replaced/',
    value: ({ sized }) => nestedObjects(sized(10_000_000)),
  },
  {
    name: '10 MB of numbers as the payload',
    field: 'outbound_payload',
    router: '/replaced/',
    value: ({ sized }) => numberArray(sized(10_000_000)),
  },
  {
    name: '30 MB of nested arrays as the answer',
    field: 'egress_payload',
    router: '/replaced/',
    value: ({ sized }) => nestedArrays(sized(30_000_000)),
  },
  { name: '10 MB of escapes', field: 'extra_request', value: ({ sized }) => longString(sized(10_000_000), '\\u0000') },
  {
    name: 'a path of 10 MB',
    field: 'gl_path',
    router: '/replaced/',
    value: ({ sized }) => longString(sized(10_000_000), '/a'),
  },
  {
    name: 'a status of 10 MB of digits',
    field: 'egress_status_code',
    router: '/replaced/',
    value: ({ sized }) => repeatText(sized(10_000_000), '2'),
  },
  {
    name: 'ten times 10 MB of [{},…] at once',
    field: 'extra_request',
    calls: 10,
    value: ({ sized }) => shallowObjects(sized(10_000_000)),
  },
]

const WHOLE_REPLIES: readonly (readonly [name: string, bytes: (tools: AttackTools) => Buffer])[] = [
  ['10 MB that are no JSON', ({ sized }) => Buffer.alloc(sized(10_000_000), 0xff)],
  ['10 MB of white space', ({ sized }) => repeatText(sized(10_000_000), ' ')],
  ['10 MB of one field again and again', ({ sized }) => objectWithOneName(sized(10_000_000), '"extra_request":1')],
  ['10 MB of fields that nobody may write', ({ sized }) => objectWithOneName(sized(10_000_000), '"__proto__":{"a":1}')],
  ['a million fields', ({ sized }) => objectWithNames(sized(1_000_000))],
  ['30 MB of nested objects', ({ sized }) => nestedObjects(sized(30 * MIB))],
]

type WrittenMap = {
  readonly name: string
  readonly field: string
  readonly bytes: number
  readonly member: (index: number) => string
}

/** Maps of headers and parameters of many names, each within the bound of a map. */
const WRITTEN_MAPS: readonly WrittenMap[] = [
  { name: '7,000 headers', field: 'outbound_headers', bytes: 50 * KIB, member: (index) => `"h${index}":"1"` },
  { name: '7,000 invalid headers', field: 'outbound_headers', bytes: 80 * KIB, member: (index) => `"h ${index}":1` },
  {
    name: '7,000 parameters',
    field: 'outbound_query_parameters',
    bytes: 50 * KIB,
    member: (index) => `"p${index}":"1"`,
  },
]

export const REPLIES: readonly Attack[] = [
  ...FIELDS.map(
    (reply): Attack => ({
      name: `${reply.name} (${reply.field})`,
      rule: MERGED,
      run: (tools) => {
        const value = reply.value(tools)
        const bytes = Buffer.concat([Buffer.from(`{"${reply.field}":`), value, Buffer.from('}')])
        return callWithReply(tools, { router: reply.router ?? '/added/', calls: reply.calls ?? 1, reply: bytes })
      },
    }),
  ),
  ...WHOLE_REPLIES.map(
    ([name, bytes]): Attack => ({
      name: `${name} as a whole reply`,
      rule: MERGED,
      run: (tools) => callWithReply(tools, { router: '/added/', calls: 1, reply: bytes(tools) }),
    }),
  ),
  ...WRITTEN_MAPS.map(
    ({ name, field, bytes, member }): Attack => ({
      name: `${name} in each of 120 calls that wait for their LLM API`,
      rule: 'what a written map becomes is bounded in time and counts in the memory account',
      run: async (tools) => {
        const reply = Buffer.from(`{"${field}":${mapOf(bytes, member)}}`)
        tools.reply(() => reply)
        const written = Promise.withResolvers<void>()
        const scripted = tools.answer(async ({ write }) => {
          await written.promise
          await write(wholeAnswer(Buffer.from('{"choices":[]}')))
        })
        const ask = { port: tools.gateway.port, path: tools.path('/replaced/'), body: '{}' }
        const calls = tools.sized(120)
        const outcomes = Promise.all(Array.from({ length: calls }, () => tools.call(ask)))
        for (let looks = 0; scripted.calls < calls && looks < 400; looks += 1) await tools.pause(20)
        written.resolve()
        const unanswered = (await outcomes).filter(({ status }) => status === 0).length
        scripted.end()
        return unanswered === 0 ? [] : [`${unanswered} calls were not answered`]
      },
    }),
  ),
  {
    name: '8 MB of header names as a reply',
    rule: MERGED,
    run: async (tools) => {
      const names = Array.from({ length: tools.sized(500_000) }, (_, at) => `h${at}:\r\n`)
      return await callWithHeaders(tools, `NATS/1.0\r\n${names.join('')}\r\n`)
    },
  },
  {
    name: 'a header name with a space as a reply',
    rule: MERGED,
    run: (tools) => callWithHeaders(tools, 'NATS/1.0\r\nA B: x\r\n\r\n'),
  },
  {
    name: '300 calls to a processor that never replies',
    rule: 'calls that wait for a processor delay no other calls',
    run: async (tools) => {
      const scripted = answering(tools)
      tools.reply(() => undefined)
      const ask = { port: tools.gateway.port, path: tools.path('/added/'), body: '{}', timeoutMs: 3_000 }
      await Promise.all(Array.from({ length: tools.sized(300) }, () => tools.call(ask)))
      scripted.end()
      return []
    },
  },
]

/** Returns an object of that many bytes or a few more. */
function mapOf(bytes: number, member: (index: number) => string): string {
  const members: string[] = []
  for (let length = 0, index = 0; length < bytes; index += 1) {
    const text = member(index)
    members.push(text)
    length += text.length + 1
  }
  return `{${members.join(',')}}`
}

type Called = { readonly router: Router; readonly calls: number; readonly reply: Buffer }

/** Makes calls whose processors reply with these bytes. Each must be answered, with any status. */
async function callWithReply(tools: AttackTools, { router, calls, reply }: Called): Promise<readonly string[]> {
  const scripted = answering(tools)
  let replies = 0
  tools.reply(() => {
    replies += 1
    return reply
  })
  const ask = { port: tools.gateway.port, path: tools.path(router), body: '{"model":"gpt-4"}' }
  const outcomes = await Promise.all(Array.from({ length: calls }, () => tools.call(ask)))
  // An async processor is called after the answer.
  for (let looks = 0; replies < calls && looks < 100; looks += 1) await tools.pause(20)
  scripted.end()
  const unanswered = outcomes.filter(({ status }) => status === 0).length
  const seen = unanswered === 0 ? [] : [`${unanswered} of ${calls} calls were not answered`]
  return replies >= calls ? seen : [...seen, `the processors were asked ${replies} times`]
}

/** Makes a call whose processor, a client without a library, replies with these headers and no bytes. */
async function callWithHeaders(tools: AttackTools, headers: string): Promise<readonly string[]> {
  const { nats, gateway } = tools
  const scripted = answering(tools)
  tools.reply(() => undefined)
  const socket = await tools.open(nats.port)
  let replies = 0
  socket.on('data', (chunk) => {
    const text = chunk.toString('latin1')
    if (text.includes('PING\r\n')) socket.write('PONG\r\n')
    for (const [, inbox] of text.matchAll(/H?MSG hostile\.\S+ 1 (\S+) .*\r\n/g)) {
      replies += 1
      socket.write(`HPUB ${inbox} ${headers.length} ${headers.length}\r\n${headers}\r\n`)
    }
  })
  const options = JSON.stringify({ verbose: false, headers: true, auth_token: nats.token })
  socket.write(`CONNECT ${options}\r\nSUB hostile.add_request 1\r\n`)
  await tools.pause(200)
  const { status } = await tools.call({ port: gateway.port, path: tools.path('/added/'), body: '{"model":"gpt-4"}' })
  scripted.end()
  return status === 200 && replies > 0 ? [] : [`status ${status}, ${replies} replies`]
}

/** Answers with a header from which response processors learn the call's tag. */
function answering(tools: AttackTools): { end(): void } {
  const answer = wholeAnswer(Buffer.from('{"choices":[]}'), { headers: [`X-Tag: ${tools.tag}`] })
  return tools.answer(({ write }) => void write(answer))
}
