import { booleanSetting, numberSetting } from '@llm-gateway/sdk/settings'
import { z } from 'zod'

/** Opening fences, one alternative each: RE2 has no back-references, so a fence of one length says which length it is. */
const FENCES: readonly (readonly [opening: string, closing: string])[] = [
  ['`{3}', '`{3,}'],
  ['`{4}', '`{4,}'],
  ['`{5}', '`{5,}'],
  ['~{3}', '~{3,}'],
  ['~{4}', '~{4,}'],
]

export const DEFAULT_ROUTER = 'default'
const DEFAULT_FIELD = 'regex'
const MAX_PATTERN_CHARACTERS = 4_096
const MAX_PATTERNS = 100
const MAX_ROUTERS = 1_000

const routerPath = z.string().regex(/^\/(.*\/)?$/, 'router:')

const patternSettings = z.object({
  /** Router paths, or all those that no pattern names. */
  routers: z.union([z.literal(DEFAULT_ROUTER), z.array(routerPath).min(1).max(MAX_ROUTERS)]).default(DEFAULT_ROUTER),
  /** The text in `egress_payload`. */
  path: z.string().min(1).default('choices[0].message.content'),
  pattern: z.string().min(1).max(MAX_PATTERN_CHARACTERS),
  /** Where in `egress_payload` the result stands. */
  field: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'field:')
    .default(DEFAULT_FIELD),
  /** What is found is JSON. */
  json: z.boolean().default(false),
})

const DEFAULT_PATTERNS: readonly z.input<typeof patternSettings>[] = [
  { pattern: fencedBlock(['md', 'markdown']) },
  { routers: ['/json/'], pattern: fencedBlock(['json']), json: true },
]

export const regexSettings = z.object({
  patterns: z
    .array(patternSettings)
    .max(MAX_PATTERNS)
    .prefault([...DEFAULT_PATTERNS]),
  /** Whether what a json pattern finds is deserialized. */
  match_json: booleanSetting().default(true),
  /** Sections of one pattern in one answer; what comes after them is left out. */
  max_sections: numberSetting().pipe(z.int().min(1).max(1_000)).default(100),
  /** Characters of a text that are searched, from its beginning. */
  max_characters: numberSetting().pipe(z.int().min(1).max(16_777_216)).default(1_048_576),
})

export type RegexSettings = z.infer<typeof regexSettings>
export type PatternSettings = z.infer<typeof patternSettings>

/**
 * A pattern whose groups are the text of a Markdown block fenced with three to five backticks or three or four tildes and
 * labelled with one of these words, in any case; attributes may follow the label. The text is the lines between the fences
 * without the last line's end. A block without its closing fence is none.
 */
export function fencedBlock(labels: readonly string[]): string {
  const label = `[ \\t]*(?i:${labels.join('|')})(?:[ \\t:,{][^\`\\n]*)?\\r?\\n`
  const blocks = FENCES.map(([opening, closing]) => `${opening}${label}(?:(.*?)\\r?\\n)??[ \\t]*${closing}[ \\t]*\\r?$`)
  return `(?ms)^[ \\t]*(?:${blocks.join('|')})`
}
