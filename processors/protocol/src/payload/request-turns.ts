import { isJsonObject } from '../json.ts'

/** A place of a request where somebody says something: one turn of a conversation, or all of a member such as `prompt`. */
export type RequestTurn = {
  /** Turns of one conversation have one name; of `messages` every item is a turn, whatever it is. */
  readonly conversation: string
  /** `model`: what it answered or called; `other`: instructions, and what tools gave back. */
  readonly role: 'user' | 'model' | 'other'
  /** As it stands in the payload. */
  readonly content: unknown
}

type Members = Readonly<Record<string, unknown>>
type Conversation = { readonly name: string; readonly turnOf: (item: unknown) => Omit<RequestTurn, 'conversation'> }

const USER_ROLES: ReadonlySet<string> = new Set(['user', 'human'])
const MODEL_ROLES: ReadonlySet<string> = new Set(['assistant', 'model', 'chatbot', 'ai'])
/** OpenAI responses: what a model did stands among the messages. */
const MODEL_ITEM = /^(?:reasoning|compaction|[a-z_]+_call|mcp_list_tools|mcp_approval_request)$/
/** Cohere v1: its newest turn stands apart from the others. */
const HISTORY = 'chat_history'

const CONVERSATIONS: readonly Conversation[] = [
  // OpenAI, Azure, Anthropic, Bedrock Converse, Cohere v2, Ollama and all that speak like them.
  { name: 'messages', turnOf: (item) => ({ role: roleOf(item, 'user'), content: member(item, 'content') }) },
  // Gemini.
  { name: 'contents', turnOf: (item) => ({ role: roleOf(item, 'user'), content: member(item, 'parts') ?? item }) },
  { name: HISTORY, turnOf: (item) => ({ role: roleOf(item, 'other'), content: member(item, 'message') ?? item }) },
  // OpenAI responses; embeddings have texts there.
  { name: 'input', turnOf: itemOfInput },
]
/** What callers write where there is no conversation, and what Cohere's and Gemini's models are given beside one. */
const ASKED = [
  ...['prompt', 'suffix', 'inputs', 'inputText', 'query', 'texts', 'documents'],
  ...['content', 'requests', 'instances'],
] as const
const INSTRUCTIONS = ['system', 'instructions', 'preamble', 'systemInstruction', 'system_instruction'] as const

/** Who says what in a request, in all dialects; none where it has no known form. Instructions first, `message` after its history. */
export function requestTurns(payload: unknown): readonly RequestTurn[] {
  if (!isJsonObject(payload)) return []
  return [
    ...membersOf(payload, INSTRUCTIONS, 'other'),
    ...CONVERSATIONS.flatMap((conversation) => turnsOf(payload, conversation)),
    ...membersOf(payload, ['message'], 'user').map((turn) => ({ ...turn, conversation: HISTORY })),
    ...membersOf(payload, ASKED, 'user'),
  ]
}

function membersOf(payload: Members, names: readonly string[], role: RequestTurn['role']): readonly RequestTurn[] {
  const there = names.filter((name) => Object.hasOwn(payload, name))
  return there.map((name) => ({ conversation: name, role, content: payload[name] }))
}

function turnsOf(payload: Members, { name, turnOf }: Conversation): readonly RequestTurn[] {
  const items = Object.hasOwn(payload, name) ? payload[name] : []
  // Texts alone are one turn of the user's, however many they are.
  if (!Array.isArray(items) || (items.length > 0 && !items.some(isJsonObject))) {
    return [{ conversation: name, role: 'user', content: items }]
  }
  return items.map((item) => ({ conversation: name, ...turnOf(item) }))
}

function itemOfInput(item: unknown): Omit<RequestTurn, 'conversation'> {
  if (!isJsonObject(item)) return { role: 'user', content: item }
  if (typeof item.role === 'string') return { role: roleOf(item, 'user'), content: member(item, 'content') }
  const isModels = typeof item.type === 'string' && MODEL_ITEM.test(item.type)
  return { role: isModels ? 'model' : 'other', content: item }
}

function roleOf(item: unknown, absent: RequestTurn['role']): RequestTurn['role'] {
  const role = member(item, 'role')
  if (typeof role !== 'string') return absent
  const name = role.trim().toLowerCase()
  if (USER_ROLES.has(name)) return 'user'
  return MODEL_ROLES.has(name) ? 'model' : 'other'
}

function member(item: unknown, name: string): unknown {
  return isJsonObject(item) && Object.hasOwn(item, name) ? item[name] : undefined
}
