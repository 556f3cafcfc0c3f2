import type { Attack, Place, Router } from '../attack.ts'
import {
  filled,
  MIB,
  members,
  nestedArrays,
  nestedObjects,
  numbers,
  oneString,
  sameMember,
  shallowObjects,
  wholeAnswer,
} from '../bodies.ts'

const MERGED = 'a reply is judged before it is read, and costs its own call alone'

type Reply = {
  readonly name: string
  readonly field: string
  readonly router?: Router
  readonly calls?: number
  readonly value: (place: Place) => Buffer
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
  { name: 'a million members', field: 'extra_request', value: ({ sized }) => members(sized(1_000_000)) },
  {
    name: 'a million members as headers',
    field: 'outbound_headers',
    router: '/replaced/',
    value: ({ sized }) => members(sized(1_000_000)),
  },
  {
    name: 'a million members as parameters',
    field: 'outbound_query_parameters',
    router: '/replaced/',
    value: ({ sized }) => members(sized(1_000_000)),
  },
  {
    name: 'a million members as headers of the answer',
    field: 'egress_headers',
    router: '/replaced/',
    value: ({ sized }) => members(sized(1_000_000)),
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
    value: ({ sized }) => numbers(sized(10_000_000)),
  },
  {
    name: '30 MB of nested arrays as the answer',
    field: 'egress_payload',
    router: '/replaced/',
    value: ({ sized }) => nestedArrays(sized(30_000_000)),
  },
  { name: '10 MB of escapes', field: 'extra_request', value: ({ sized }) => oneString(sized(10_000_000), '\\u0000') },
  {
    name: 'a path of 10 MB',
    field: 'gl_path',
    router: '/replaced/',
    value: ({ sized }) => oneString(sized(10_000_000), '/a'),
  },
  {
    name: 'a status of 10 MB of digits',
    field: 'egress_status_code',
    router: '/replaced/',
    value: ({ sized }) => filled(sized(10_000_000), '2'),
  },
  {
    name: 'ten times 10 MB of [{},…] at once',
    field: 'extra_request',
    calls: 10,
    value: ({ sized }) => shallowObjects(sized(10_000_000)),
  },
]

const WHOLE: readonly (readonly [name: string, bytes: (place: Place) => Buffer])[] = [
  ['10 MB that are no JSON', ({ sized }) => Buffer.alloc(sized(10_000_000), 0xff)],
  ['10 MB of white space', ({ sized }) => filled(sized(10_000_000), ' ')],
  ['10 MB of one field again and again', ({ sized }) => sameMember(sized(10_000_000), '"extra_request":1')],
  ['10 MB of fields that nobody may write', ({ sized }) => sameMember(sized(10_000_000), '"__proto__":{"a":1}')],
  ['a million fields', ({ sized }) => members(sized(1_000_000))],
  ['30 MB of nested objects', ({ sized }) => nestedObjects(sized(30 * MIB))],
]

export const REPLIES: readonly Attack[] = [
  ...FIELDS.map(
    (reply): Attack => ({
      name: `${reply.name} (${reply.field})`,
      rule: MERGED,
      run: (place) => {
        const value = reply.value(place)
        const bytes = Buffer.concat([Buffer.from(`{"${reply.field}":`), value, Buffer.from('}')])
        return called(place, { router: reply.router ?? '/added/', calls: reply.calls ?? 1, reply: bytes })
      },
    }),
  ),
  ...WHOLE.map(
    ([name, bytes]): Attack => ({
      name: `${name} as a whole reply`,
      rule: MERGED,
      run: (place) => called(place, { router: '/added/', calls: 1, reply: bytes(place) }),
    }),
  ),
  {
    name: '300 calls to a processor that never replies',
    rule: 'calls that wait for a processor hold up no others',
    run: async (place) => {
      const scripted = answering(place)
      place.reply(() => undefined)
      const ask = { port: place.gateway.port, path: place.path('/added/'), body: '{}', timeoutMs: 3_000 }
      await Promise.all(Array.from({ length: place.sized(300) }, () => place.ask(ask)))
      scripted.end()
      return []
    },
  },
]

type Called = { readonly router: Router; readonly calls: number; readonly reply: Buffer }

/** Makes calls whose processors reply with these bytes. Each must be answered, with any status. */
async function called(place: Place, { router, calls, reply }: Called): Promise<readonly string[]> {
  const scripted = answering(place)
  let replies = 0
  place.reply(() => {
    replies += 1
    return reply
  })
  const ask = { port: place.gateway.port, path: place.path(router), body: '{"model":"gpt-4"}' }
  const outcomes = await Promise.all(Array.from({ length: calls }, () => place.ask(ask)))
  // An async processor is called after the answer.
  for (let looks = 0; replies < calls && looks < 100; looks += 1) await place.pause(20)
  scripted.end()
  const unanswered = outcomes.filter(({ status }) => status === 0).length
  const seen = unanswered === 0 ? [] : [`${unanswered} of ${calls} calls were not answered`]
  return replies >= calls ? seen : [...seen, `the processors were asked ${replies} times`]
}

/** Answers with a header from which response processors learn the call's tag. */
function answering(place: Place): { end(): void } {
  const answer = wholeAnswer(Buffer.from('{"choices":[]}'), { headers: [`X-Tag: ${place.tag}`] })
  return place.answer(({ write }) => void write(answer))
}
