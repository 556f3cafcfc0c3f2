import { isJsonObject, type TokenUsage, USAGE_MEMBERS, usageOf } from '@llm-gateway/protocol'
import type { ScanResult } from '../json/scan-result.ts'

/** The largest text searched for usage: a usage object has some hundred bytes, a stream's last event some thousand. */
const MAX_BYTES = 16 * 1024
/** The most white space in bytes accepted before a list; no API sends any. */
const MAX_SPACES = 64
const [LIST, SPACE] = [0x5b, 0x20]

/**
 * Returns the token usage of an answer that wasn't assembled to a message. Parses only the usage members of a JSON
 * answer, or the end of any other stream.
 */
export function usageOfBytes(bytes: Buffer, scanned: Pick<ScanResult, 'kind' | 'members'>): TokenUsage | undefined {
  if (scanned.kind === 'text') return usageOf(endOf(bytes, 'utf8'))
  if (scanned.kind === 'binary') {
    const end = endOf(bytes, 'latin1')
    return usageOf({ usage: lastMember(end, 'usage') }) ?? usageOf(invokedChunks(end))
  }
  if (scanned.members.length > 0) return usageOfMembers(bytes, scanned)
  return isList(bytes) ? usageOf({ usageMetadata: lastMember(endOf(bytes, 'utf8'), 'usageMetadata') }) : undefined
}

function usageOfMembers(bytes: Buffer, { members }: Pick<ScanResult, 'members'>): TokenUsage | undefined {
  const usageMembers = members.filter(({ name, start, end }) => USAGE_MEMBERS.has(name) && end - start <= MAX_BYTES)
  if (usageMembers.length === 0) return undefined
  return usageOf(
    Object.fromEntries(
      usageMembers.map(({ name, start, end }) => [name, JSON.parse(bytes.toString('utf8', start, end))]),
    ),
  )
}

function endOf(bytes: Buffer, encoding: 'utf8' | 'latin1'): string {
  return bytes.toString(encoding, Math.max(0, bytes.length - MAX_BYTES))
}

/**
 * Returns the chunks of Bedrock's InvokeModel, which streams frames with base64 text; the last chunk has the usage of
 * the call.
 */
function invokedChunks(text: string): readonly object[] {
  const chunks = [...text.matchAll(/"bytes":"([^"]*)"/g)].map(([, bytes = '']) => parsed(fromBase64(bytes)))
  return chunks.filter(isJsonObject)
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString()
}

/**
 * Returns the object of the last member with that name: Gemini streams a list of chunks, Bedrock frames of bytes that
 * hold JSON.
 */
function lastMember(text: string, name: string): unknown {
  const at = text.lastIndexOf(`"${name}"`)
  const start = at === -1 ? -1 : text.indexOf('{', at)
  // The strings in usage objects of both dialects contain no braces, so that counting braces finds the end of an
  // object.
  for (let at = start, depth = 0; at >= 0 && at < text.length; at += 1) {
    if (text[at] === '{') depth += 1
    if (text[at] === '}') depth -= 1
    if (depth === 0) return parsed(text.slice(start, at + 1))
  }
  return undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Other bytes can contain the member's name.
  }
}

function isList(bytes: Buffer): boolean {
  return bytes.subarray(0, MAX_SPACES).find((byte) => byte > SPACE) === LIST
}
