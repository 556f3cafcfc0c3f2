import type { ProcessorName } from '../fake/processor-program.ts'

export type Fields = Readonly<Record<string, unknown>>

/** What the suite knows of one processor. */
export type Contract = {
  readonly name: ProcessorName
  /** A message that it has something to say about. */
  readonly message: Fields
  /** The fields that its rows let it write; it may reply no other. */
  readonly writes: readonly string[]
  /** The reply to `message` is right; its payload may have been made longer by so many characters that change nothing else. */
  readonly holds: (reply: Fields, longer: number) => boolean
}

const CHAT = {
  messages: [
    { role: 'system', content: 'Assistant is a large language model trained by OpenAI.' },
    { role: 'user', content: 'Who were the founders of Microsoft?' },
  ],
  max_tokens: 15,
}
const POOL: readonly unknown[] = ['/pool/gpt35turbo/', '/pool/gpt4/', '/pool/dud/']

/** A new processor joins with its line here (and its folder in the fakes). */
export const CONTRACTS: readonly Contract[] = [
  {
    name: 'charactercount',
    message: { ingress_payload: CHAT },
    writes: ['character_count'],
    holds: ({ character_count }, longer) => character_count === 179 + longer,
  },
  {
    name: 'tokenizer',
    message: { ingress_payload: CHAT, gl_path: '/service/standard/' },
    writes: ['tokenizer'],
    holds: ({ tokenizer }) => /^\{"gpt2":(1[0-9]|2[0-9])\}$/.test(JSON.stringify(tokenizer)),
  },
  {
    name: 'mock',
    message: { gl_path: '/mock/service/standard/', ingress_subpath: 'chat/completions' },
    writes: ['control', 'control_status_code', 'egress_payload', 'egress_headers', 'egress_status_code'],
    // Nothing recorded.
    holds: ({ control, control_status_code }) =>
      control !== null && [404, undefined].includes(Number(control_status_code)),
  },
  {
    name: 'regex',
    message: { gl_path: '/markdown/', egress_payload: answerWith('A list:\n```markdown\n- one\n```\n') },
    writes: ['egress_payload'],
    holds: ({ egress_payload }) => JSON.stringify(egress_payload).includes('"match":true'),
  },
  {
    name: 'broker',
    message: { gl_path: '/pool/' },
    writes: ['gl_path'],
    holds: ({ gl_path }) => POOL.includes(gl_path),
  },
  {
    name: 'contentfilter',
    message: {
      gl_path: '/service/standard/',
      ingress_payload: {
        messages: [
          { role: 'system', content: 'Help.' },
          { role: 'user', content: 'You stupid idiot!' },
        ],
      },
    },
    writes: ['content_filter', 'is_toxic', 'control', 'control_status_code'],
    holds: ({ is_toxic, control, control_status_code }) =>
      is_toxic === true && JSON.stringify(control) === '{"is_toxic":true}' && control_status_code === 403,
  },
  {
    name: 'nlpentities',
    message: { outbound_payload: CHAT },
    writes: ['nlp_entities'],
    holds: ({ nlp_entities }) => JSON.stringify(nlp_entities).includes('{"text":"Microsoft","label":"ORG"}'),
  },
  {
    name: 'tokencounter',
    message: {
      gl_path: '/service/standard/',
      inbound_status_code: 200,
      inbound_payload: { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
    },
    writes: ['control', 'control_status_code', 'control_headers', 'token_count'],
    holds: ({ token_count }) => JSON.stringify(token_count).includes('"total_tokens":3'),
  },
]

export function answerWith(content: string): Fields {
  return { id: 'a', choices: [{ index: 0, message: { role: 'assistant', content } }], usage: { total_tokens: 3 } }
}
