import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import type { BodySource } from './inbound-body.ts'

/** Returns a source whose functions do nothing but what `parts` gives, with room for 1 GB. */
export function bodySource(parts: Partial<BodySource> = {}): BodySource {
  return {
    account: new MemoryAccount(1_000_000_000).open('/llm/', new MemoryShare()),
    pause: () => undefined,
    resume: () => undefined,
    abort: () => undefined,
    noteConsumed: () => undefined,
    ...parts,
  }
}
