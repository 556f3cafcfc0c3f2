import type { ProcessorName } from '../fake/processor-program.ts'

export type Fields = Readonly<Record<string, unknown>>

/** The suite's knowledge of one processor. */
export type Contract = {
  readonly name: string
  /** A message to which the processor replies with fields. */
  readonly message: Fields
  /** The fields that its rows let it write; it may reply no others. */
  readonly writes: readonly string[]
  /** Returns the reply to `message`, whose payload may be `longer` characters longer without any other change. */
  readonly answer: (longer: number) => Fields
  /** Set if the processor learns from messages: late messages are answered too. */
  readonly takesLate?: true
  /** Checks and removes the parts of a reply that are random or too long to compare. */
  readonly shown?: (reply: Fields) => Fields
}

/** Bytes of padding: the whole message stays below the bus's 32 MB. */
export const HUGE_BYTES = 30_000_000
const CHAT = {
  messages: [
    { role: 'system', content: 'Assistant is a large language model trained by OpenAI.' },
    { role: 'user', content: 'Who were the founders of Microsoft?' },
  ],
  max_tokens: 15,
}
const ENTITIES = ['OpenAI', 'Microsoft'].map((text) => ({ text, label: 'ORG' }))
const NO_SCORES = { toxicity: 0, severe_toxicity: 0, obscene: 0, threat: 0, insult: 0, identity_attack: 0 }
const MARKDOWN = 'A list:\n```markdown\n- one\n```\n'
const POOL: readonly unknown[] = ['/pool/gpt35turbo/', '/pool/gpt4/', '/pool/dud/']

/** The contracts of all processors. A new processor adds an entry here and its folder in the fakes. */
export const CONTRACTS: readonly (Contract & { readonly name: ProcessorName })[] = [
  {
    name: 'charactercount',
    message: { ingress_payload: CHAT },
    writes: ['character_count'],
    answer: (longer) => ({ character_count: 179 + longer }),
  },
  {
    name: 'tokenizer',
    message: { ingress_payload: CHAT, gl_path: '/service/standard/' },
    writes: ['tokenizer'],
    answer: () => ({ tokenizer: { gpt2: 18 } }),
  },
  {
    name: 'mock',
    message: { gl_path: '/mock/service/standard/', ingress_subpath: 'chat/completions' },
    writes: ['control', 'control_status_code', 'egress_payload', 'egress_headers', 'egress_status_code'],
    // Nothing was recorded.
    answer: () => ({
      control: { error: { message: 'Nothing has been recorded for this path.', code: 'MOCK_EMPTY' } },
      control_status_code: 404,
    }),
  },
  {
    name: 'regex',
    message: { gl_path: '/markdown/', egress_payload: chatAnswer(MARKDOWN) },
    writes: ['egress_payload'],
    answer: () => ({
      egress_payload: { ...chatAnswer(MARKDOWN), regex: { match: true, sections: [{ text: '- one', object: null }] } },
    }),
    shown: withoutPadding,
  },
  {
    name: 'broker',
    message: { gl_path: '/pool/' },
    takesLate: true,
    writes: ['gl_path'],
    answer: () => ({ gl_path: 'a member of the pool' }),
    shown: (reply) => (POOL.includes(reply.gl_path) ? { ...reply, gl_path: 'a member of the pool' } : reply),
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
    answer: () => ({
      content_filter: { ...NO_SCORES, toxicity: 0.96, insult: 0.96 },
      is_toxic: true,
      control: { is_toxic: true },
      control_status_code: 403,
    }),
  },
  {
    name: 'nlpentities',
    message: { outbound_payload: CHAT },
    writes: ['nlp_entities'],
    answer: () => ({ nlp_entities: { entities: ENTITIES } }),
  },
  {
    name: 'tokencounter',
    takesLate: true,
    message: {
      gl_path: '/service/standard/',
      inbound_status_code: 200,
      inbound_payload: { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
    },
    writes: ['control', 'control_status_code', 'control_headers', 'token_count'],
    answer: () => ({ token_count: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }),
  },
]

/** Removes the padding of `a huge payload`, which must come back complete. */
function withoutPadding(reply: Fields): Fields {
  const { egress_payload: payload } = reply
  if (typeof payload !== 'object' || payload === null || !('padding' in payload)) return reply
  const { padding, ...rest } = payload
  return padding === 'x'.repeat(HUGE_BYTES) ? { ...reply, egress_payload: rest } : reply
}

export function chatAnswer(content: string): Fields {
  return { id: 'a', choices: [{ index: 0, message: { role: 'assistant', content } }], usage: { total_tokens: 3 } }
}
