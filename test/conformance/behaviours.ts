import { type Contract, type Fields, HUGE_BYTES } from './processors.ts'

/** A message and the answer that a processor may give. */
export type Behaviour = {
  readonly name: string
  readonly bytes: (contract: Contract) => Uint8Array | string
  /**
   * `right`: the contract's answer; the payload is `longer` characters longer than the contract's. `golden`: the answer
   * in the processor's golden. `nothing`: `{}`. `none`: no answer, since the bytes are no message.
   */
  readonly expects: 'right' | 'golden' | 'nothing' | 'none'
  readonly longer?: number
}

const WRONG: readonly unknown[] = [null, 7, -1.5, true, '', 'text', '/', [], {}, [[]], [null], { messages: 7 }]
const WRONG_INSIDE: readonly unknown[] = [
  {
    messages: [null, 7, 'text', [], {}, { content: null }, { role: 7, content: [null, { text: 7 }, { type: 'text' }] }],
  },
  { messages: { 0: { content: 'x' } }, choices: 'none' },
  { choices: [null, { message: null }, { message: { content: 7 } }, { message: { content: [{ text: {} }] } }] },
  { choices: {}, usage: [], error: 'x' },
]
const PROTO =
  '{"__proto__":{"content":"x","messages":[]},"constructor":{"prototype":{}},"toString":7,"hasOwnProperty":1}'

const SINGLE_MESSAGES: readonly Behaviour[] = [
  { name: 'an empty object', bytes: () => '{}', expects: 'nothing' },
  { name: 'an empty message', bytes: () => '', expects: 'none' },
  { name: 'white space', bytes: () => ' \n', expects: 'none' },
  { name: 'text that is no JSON', bytes: () => 'hello {', expects: 'none' },
  { name: 'half a message', bytes: ({ message }) => encodeMessage(message).slice(0, -3), expects: 'none' },
  { name: 'bytes that are no UTF-8', bytes: () => new Uint8Array([0x7b, 0xff, 0xfe, 0x00, 0x7d]), expects: 'none' },
  ...['[]', '7', '"text"', 'null', 'true'].map((text) => ({ name: text, bytes: () => text, expects: 'none' }) as const),
  {
    name: 'a message of an unknown router',
    bytes: ({ message }) => encodeMessage({ ...message, gl_path: '/no/such/router/' }),
    expects: 'golden',
  },
  {
    name: 'unknown fields',
    bytes: ({ message }) => encodeMessage({ ...message, later_version: { a: [1] }, is_toxic_too: false }),
    expects: 'right',
  },
  {
    name: 'a __proto__ beside the fields',
    bytes: ({ message }) => `${encodeMessage(message).slice(0, -1)},"__proto__":{"gl_path":"/x/","polluted":true}}`,
    expects: 'right',
  },
  {
    name: 'only __proto__ and names that each object inherits',
    bytes: () => PROTO,
    expects: 'golden',
  },
  {
    name: 'a huge payload',
    bytes: ({ message }) =>
      encodeMessage(eachPayload(message, (payload) => ({ ...payload, padding: 'x'.repeat(HUGE_BYTES) }))),
    expects: 'right',
    longer: HUGE_BYTES + ',"padding":""'.length,
  },
  {
    name: 'a payload 100,000 levels deep',
    bytes: ({ message }) => deep(message, 100_000),
    expects: 'golden',
  },
]

const hostile: readonly Behaviour[] = [
  {
    name: 'a payload of three million empty objects',
    bytes: ({ message }) => withText(message, `[${'{},'.repeat(3_000_000)}{}]`),
    expects: 'golden',
  },
  {
    name: 'a payload of 100,000 messages',
    bytes: ({ message }) => {
      const messages = Array.from({ length: 100_000 }, () => ({ role: 'user', content: 'x' }))
      return encodeMessage(eachPayload(message, () => ({ messages })))
    },
    expects: 'golden',
  },
  {
    name: 'a payload with one word of a million letters',
    bytes: ({ message }) => {
      const content = 'x'.repeat(1_000_000)
      const choices = [{ message: { role: 'assistant', content } }]
      return encodeMessage(eachPayload(message, () => ({ messages: [{ role: 'user', content }], choices })))
    },
    expects: 'golden',
  },
  {
    name: 'numbers beyond a double, half surrogate pairs and escapes',
    bytes: ({ message }) => withText(message, '[1e999,-1e-999,12345678901234567890,"\\ud800","\\u0000","\\/"]'),
    expects: 'golden',
  },
  {
    name: 'each field twice, the right value last',
    bytes: ({ message }) => {
      const first = Object.keys(message).map((name) => `${JSON.stringify(name)}:7`)
      return `{${first.join(',')},${encodeMessage(message).slice(1)}`
    },
    expects: 'right',
  },
  {
    name: '10,000 unknown fields',
    bytes: ({ message }) => {
      const unknown = Array.from({ length: 10_000 }, (_, index) => [`field_${index}`, { a: [index] }] as const)
      return encodeMessage({ ...Object.fromEntries(unknown), ...message })
    },
    expects: 'right',
  },
]

/** Returns all behaviours, including those for each of the processor's own fields. */
export function behavioursOf(contract: Contract): readonly Behaviour[] {
  const fields = Object.keys(contract.message)
  const without = fields.map((field): Behaviour => {
    const rest = Object.fromEntries(Object.entries(contract.message).filter(([name]) => name !== field))
    return { name: `no ${field}`, bytes: () => encodeMessage(rest), expects: 'golden' }
  })
  const wrong = fields.flatMap((field) =>
    [...WRONG, ...(field.endsWith('_payload') ? WRONG_INSIDE : [])].map((value): Behaviour => {
      const message = { ...contract.message, [field]: value }
      return {
        name: `${field} is ${JSON.stringify(value).slice(0, 60)}`,
        bytes: () => encodeMessage(message),
        expects: 'golden',
      }
    }),
  )
  const proto = fields.map((field): Behaviour => {
    const text = encodeMessage({ ...contract.message, [field]: '@' })
    return { name: `${field} is __proto__`, bytes: () => text.replace('"@"', PROTO), expects: 'golden' }
  })
  return [...SINGLE_MESSAGES, ...hostile, ...without, ...wrong, ...proto]
}

export function encodeMessage(message: Fields): string {
  return JSON.stringify(message)
}

function eachPayload(message: Fields, change: (payload: object) => unknown): Fields {
  const changed = Object.entries(message).map(([name, value]) => {
    return [name, name.endsWith('_payload') && typeof value === 'object' && value !== null ? change(value) : value]
  })
  return Object.fromEntries(changed)
}

/** Returns a message too deep for JSON.stringify and for any recursion. */
function deep(message: Fields, levels: number): string {
  return withText(message, `${'['.repeat(levels)}${']'.repeat(levels)}`)
}

/** Returns the message with a member of this JSON text in each payload. */
function withText(message: Fields, json: string): string {
  return encodeMessage(eachPayload(message, (payload) => ({ ...payload, beside: '@' }))).replace('"@"', () => json)
}
