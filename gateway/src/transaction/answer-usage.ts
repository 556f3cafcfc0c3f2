import type { Scanned } from '../json/scanned.ts'
import { type TokenUsage, usageOf } from '../stream/usage-of.ts'

/** Members of an answer that say how many tokens it used. */
export const usageMembers: ReadonlySet<string> = new Set(['usage'])

/** An honest one has some hundred bytes. */
const MOST_BYTES = 16 * 1024

/** The tokens that an unstreamed answer says it used; of the answer only its member is parsed. */
export function usageOfMembers(bytes: Buffer, { members }: Pick<Scanned, 'members'>): TokenUsage | undefined {
  const member = members.find(({ name }) => usageMembers.has(name))
  if (member === undefined || member.end - member.start > MOST_BYTES) return undefined
  const usage: unknown = JSON.parse(bytes.toString('utf8', member.start, member.end))
  return usageOf({ usage })
}
