import { isJsonObject } from '../json.ts'

/** One turn of a conversation in a request, or a whole member such as `prompt`. */
export type RequestTurn = {
  /** Turns of one conversation share a name; every item of `messages` is a turn. */
  readonly conversation: string
  /** `model`: the model's answers and tool calls; `other`: instructions and tools' results. */
  readonly role: 'user' | 'model' | 'other'
  /** The value as in the payload. */
  readonly content: unknown
}

type Members = Readonly<Record<string, unknown>>
type Conversation = { readonly name: string; readonly turnOf: (item: unknown) => Omit<RequestTurn, 'conversation'> }

const USER_ROLES: ReadonlySet<string> = new Set(['user', 'human'])
const MODEL_ROLES: ReadonlySet<string> = new Set(['assistant', 'model', 'chatbot', 'ai'])
/** OpenAI responses: the model's actions are items among the messages. */
const MODEL_ITEM = /^(?:reasoning|compaction|[a-z_]+_call|mcp_list_tools|mcp_approval_request)$/
/** Cohere v1: the newest turn is in `message`, apart from this history. */
const HISTORY = 'chat_history'

const CONVERSATIONS: readonly Conversation[] = [
  // OpenAI, Azure, Anthropic, Bedrock Converse, Cohere v2, Ollama and compatible APIs.
  { name: 'messages', turnOf: (item) => ({ role: roleOf(item, 'user'), content: member(item, 'content') }) },
  // Gemini.
  { name: 'contents', turnOf: (item) => ({ role: roleOf(item, 'user'), content: member(item, 'parts') ?? item }) },
  { name: HISTORY, turnOf: (item) => ({ role: roleOf(item, 'other'), content: member(item, 'message') ?? item }) },
  // OpenAI's Responses API. In requests for embeddings this member has texts.
  { name: 'input', turnOf: itemOfInput },
]
/** Members with a caller's text outside of conversations. In Cohere's and Gemini's APIs they may stand beside one. */
const ASKED = [
  ...['prompt', 'suffix', 'inputs', 'inputText', 'query', 'texts', 'documents'],
  ...['content', 'requests', 'instances'],
] as const
const INSTRUCTIONS = ['system', 'instructions', 'preamble', 'systemInstruction', 'system_instruction'] as const

/**
 * Returns the turns of a request in any dialect; none for an unknown form. Instructions come first, `message` after its
 * history.
 */
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
  // A list of texts is one turn of the user.
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
