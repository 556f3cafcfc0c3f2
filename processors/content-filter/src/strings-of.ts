import { isJsonObject } from '@llm-gateway/protocol'

/** Names of what a message says about itself; what stands there is not shown to a model as text. */
const ABOUT: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'tool_use_id',
  'tool_call_id',
  'call_id',
  'media_type',
])
/** Names under which the dialects keep pictures, sound and files. */
const BINARY: ReadonlySet<string> = new Set([
  'image_url',
  'input_audio',
  'file_data',
  'inline_data',
  'inlineData',
  'b64_json',
  'encrypted_content',
  'bytes',
  'images',
])

/** Every text inside a JSON value in its order, attachments excepted; goes as deep as the value does. */
export function stringsOf(root: unknown): readonly string[] {
  const found: string[] = []
  // A stack of our own: how deep a body nests is its sender's choice, and recursion would end where he wants it to.
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') {
      if (value.trim() !== '') found.push(value)
    } else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index -= 1) open.push(value[index])
    } else if (isJsonObject(value)) {
      const members = Object.entries(value).filter(([key, member]) => isText(key, member, value))
      for (const [, member] of members.reverse()) open.push(member)
    }
  }
  return found
}

function isText(key: string, member: unknown, owner: Readonly<Record<string, unknown>>): boolean {
  // Only where it is what it says: an object under `type` may hold anything.
  if (ABOUT.has(key)) return typeof member !== 'string'
  if (BINARY.has(key)) return false
  return !(key === 'data' && owner.type === 'base64')
}
