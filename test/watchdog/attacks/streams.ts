import type { Socket } from 'node:net'
import { type Answer, answerAttack } from '../answer-attack.ts'
import type { Attack } from '../attack.ts'
import { answerHead, chunked, LAST_CHUNK, MIB, nestedArrays, repeatText, singleBytes } from '../bodies.ts'

const FOLLOWED = 'a stream is read event by event, in bounded steps and memory'
const ASSEMBLED = 'an assembled message has bounds on bytes, depth and values'
const TYPE = 'text/event-stream'

const event = (payload: object): string => `data: ${JSON.stringify(payload)}\n\n`
const CHUNK = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-4' }
const CHAT = event({ ...CHUNK, choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }] })
const TOOL = event({
  ...CHUNK,
  choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '[' } }] } }],
})
const ANTHROPIC_START = event({
  type: 'message_start',
  message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: {} },
})
const ANTHROPIC = event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } })
const RESPONSES = event({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'a' })

/** Returns `count` events, each made from its index. */
function indexedEvents(count: number, text: (index: number) => object): Buffer {
  return Buffer.from(Array.from({ length: count }, (_, index) => event(text(index))).join(''))
}

const ANSWERED: readonly Answer[] = [
  { name: '16 MiB of newlines', rule: FOLLOWED, body: ({ sized }) => repeatText(sized(16 * MIB), '\n') },
  { name: '16 MiB of carriage returns', rule: FOLLOWED, body: ({ sized }) => repeatText(sized(16 * MIB), '\r') },
  { name: '16 MiB of data:{}', rule: FOLLOWED, body: ({ sized }) => repeatText(sized(16 * MIB), 'data:{}\n\n') },
  { name: '16 MiB of [DONE]', rule: FOLLOWED, body: ({ sized }) => repeatText(sized(16 * MIB), 'data: [DONE]\n\n') },
  { name: '16 MiB of comments', rule: FOLLOWED, body: ({ sized }) => repeatText(sized(16 * MIB), ':\n') },
  {
    name: '16 MiB of one event of short lines',
    rule: FOLLOWED,
    body: ({ sized }) => repeatText(sized(16 * MIB), 'data:x\n'),
  },
  { name: 'an endless line, 80 MiB of it', rule: FOLLOWED, body: ({ sized }) => repeatText(sized(80 * MIB), 'data:') },
  {
    name: 'gzip of 60 MiB of newlines',
    rule: FOLLOWED,
    coding: 'gzip',
    body: ({ sized }) => repeatText(sized(60 * MIB), '\n'),
  },
  { name: '36 MiB of chat chunks', rule: ASSEMBLED, body: ({ sized }) => repeatText(sized(36 * MIB), CHAT) },
  { name: '16 MiB of tool calls', rule: ASSEMBLED, body: ({ sized }) => repeatText(sized(16 * MIB), TOOL) },
  {
    name: '16 MiB of Anthropic deltas',
    rule: ASSEMBLED,
    body: ({ sized }) => Buffer.concat([Buffer.from(ANTHROPIC_START), repeatText(sized(16 * MIB), ANTHROPIC)]),
  },
  {
    name: '16 MiB of OpenAI responses deltas',
    rule: ASSEMBLED,
    body: ({ sized }) => repeatText(sized(16 * MIB), RESPONSES),
  },
  {
    name: '100,000 choices',
    rule: ASSEMBLED,
    body: ({ sized }) =>
      indexedEvents(sized(100_000), (index) => ({ ...CHUNK, choices: [{ index, delta: { content: 'a' } }] })),
  },
  {
    name: '100,000 content blocks',
    rule: ASSEMBLED,
    body: ({ sized }) =>
      Buffer.concat([
        Buffer.from(ANTHROPIC_START),
        indexedEvents(sized(100_000), (index) => ({
          type: 'content_block_start',
          index,
          content_block: { type: 'text', text: '' },
        })),
      ]),
  },
  {
    name: 'a choice with the index two thousand million',
    rule: ASSEMBLED,
    body: () =>
      indexedEvents(10, (index) => ({
        ...CHUNK,
        choices: [{ index: 2_000_000_000 + index, delta: { content: 'a' } }],
      })),
  },
  {
    name: 'one event of 8 MiB of nested arrays',
    rule: ASSEMBLED,
    body: ({ sized }) => Buffer.concat([Buffer.from('data: '), nestedArrays(sized(8 * MIB)), Buffer.from('\n\n')]),
  },
  {
    name: 'a choice of 8 MiB of nested arrays',
    rule: ASSEMBLED,
    body: ({ sized }) =>
      Buffer.concat([
        Buffer.from('data: {"object":"chat.completion.chunk","choices":'),
        nestedArrays(sized(8 * MIB)),
        Buffer.from('}\n\n'),
      ]),
  },
  {
    name: 'a delta with 100,000 fields, 10 times',
    rule: ASSEMBLED,
    body: ({ sized }) => manyFields(sized(100_000), 10),
  },
  {
    name: 'a name of 4 MiB of halves of surrogate pairs, sent again',
    rule: ASSEMBLED,
    body: ({ sized }) => halfPairs(sized(4 * MIB)),
  },
  {
    name: '16 streams of 4 MiB that end together',
    rule: FOLLOWED,
    calls: 16,
    body: ({ sized }) => repeatText(sized(4 * MIB), CHAT),
  },
  {
    name: '100 streams of 1,400 choices at once',
    rule: 'one turn of the event loop reads no more from many streams than from a single stream',
    calls: 100,
    body: () => indexedEvents(1_400, (index) => ({ ...CHUNK, choices: [{ index, delta: { content: 'a' } }] })),
  },
  {
    name: 'newlines on a router with a processor',
    rule: FOLLOWED,
    router: '/added/',
    body: ({ sized }) => repeatText(sized(16 * MIB), '\n'),
  },
]

export const STREAMS: readonly Attack[] = [
  ...ANSWERED.map((answer) => answerAttack({ ...answer, type: TYPE })),
  {
    name: 'events of one byte a chunk',
    rule: FOLLOWED,
    run: async (tools) => {
      const body = repeatText(tools.sized(MIB), CHAT)
      const bytes = Buffer.concat([Buffer.from(answerHead({ type: TYPE })), chunked(singleBytes(body))])
      const scripted = tools.answer(async ({ write }) => {
        await write(bytes)
        await write(LAST_CHUNK)
      })
      const outcome = await tools.call({
        port: tools.gateway.port,
        path: tools.path('/hostile/'),
        body: '{"stream":true}',
      })
      scripted.end()
      return outcome.bytes === body.length ? [] : [`${outcome.bytes} of ${body.length} bytes came`]
    },
  },
  {
    name: '100 streams of 7 MiB that stay open',
    rule: 'messages that are being assembled take no more memory than there is room for',
    run: async (tools) => {
      const piece = Buffer.from(longEvent(100_000))
      const scripted = tools.answer(async ({ write }) => {
        await write(answerHead({ type: TYPE }))
        for (let bytes = 0; bytes < tools.sized(7 * MIB); bytes += piece.length) {
          if (!(await write(chunked([piece])))) return
        }
      })
      const ask = {
        port: tools.gateway.port,
        path: tools.path('/hostile/'),
        body: '{"stream":true}',
        timeoutMs: 20_000,
      }
      const outcomes = await Promise.all(Array.from({ length: 100 }, () => tools.call(ask)))
      scripted.end()
      const refused = outcomes.filter(({ status }) => status !== 200).length
      return refused === 0 ? [] : [`${refused} streams did not begin`]
    },
  },
  {
    name: '200 streams that never end',
    rule: 'endless streams delay no other stream',
    run: async (tools) => {
      const scripted = tools.answer(async ({ write }) => {
        await write(answerHead({ type: TYPE }))
        while (await write(chunked([Buffer.from(CHAT)]))) await tools.pause(100)
      })
      const ask = { port: tools.gateway.port, path: tools.path('/hostile/'), body: '{"stream":true}', timeoutMs: 3_000 }
      const outcomes = await Promise.all(Array.from({ length: tools.sized(200) }, () => tools.call(ask)))
      scripted.end()
      const silent = outcomes.filter(({ bytes }) => bytes === 0).length
      return silent === 0 ? [] : [`${silent} streams did not begin`]
    },
  },
  {
    name: '3,000 streams that are cut at one moment',
    rule: 'one turn ends no more of many answers than it has time for',
    run: async (tools) => {
      const sockets: Socket[] = []
      let isCut = false
      const scripted = tools.answer(async ({ socket, write }) => {
        await write(answerHead({ type: TYPE }))
        await write(chunked([Buffer.from(CHAT)]))
        // A call that was sent a second time comes late.
        if (isCut) socket.resetAndDestroy()
        else sockets.push(socket)
      })
      const ask = { port: tools.gateway.port, path: tools.path('/hostile/'), body: '{"stream":true}' }
      let refused = 0
      const calls = Array.from({ length: tools.sized(3_000) }, async () => {
        const outcome = await tools.call(ask)
        if (outcome.bytes === 0 || outcome.status !== 200) refused += 1
        return outcome
      })
      while (sockets.length + refused < calls.length) await tools.pause(20)
      isCut = true
      for (const socket of sockets) socket.resetAndDestroy()
      const outcomes = await Promise.all(calls)
      scripted.end()
      return outcomes.some(({ status }) => status === 200) ? [] : ['no stream began']
    },
  },
]

function longEvent(bytes: number): string {
  return event({ ...CHUNK, choices: [{ index: 0, delta: { content: 'a'.repeat(bytes) } }] })
}

function manyFields(count: number, times: number): Buffer {
  const fields = Array.from({ length: count }, (_, index) => `"f${index}":"a"`).join(',')
  const text = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{${fields}}}]}\n\n`
  return repeatText(text.length * times, text)
}

/** Returns an event whose largest name is written in escapes that V8 encodes slowly, twice. */
function halfPairs(bytes: number): Buffer {
  const name = '\\ud800'.repeat(Math.floor(bytes / 6) - 20)
  const text = `data: {"type":"response.in_progress","response":{"id":"r","${name}":1}}\n\n`
  return repeatText(2 * text.length, text)
}
