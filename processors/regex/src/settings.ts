import { booleanSetting, numberSetting } from '@llm-gateway/sdk/settings'
import { z } from 'zod'

/** One alternative per length of fence, since RE2 has no back-references to match the closing fence with. */
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
  /** Paths of routers, or `default`: all routers that no pattern names. */
  routers: z.union([z.literal(DEFAULT_ROUTER), z.array(routerPath).min(1).max(MAX_ROUTERS)]).default(DEFAULT_ROUTER),
  /** The path of the text in `egress_payload`. */
  path: z.string().min(1).default('choices[0].message.content'),
  pattern: z.string().min(1).max(MAX_PATTERN_CHARACTERS),
  /** The member of `egress_payload` that gets the result. */
  field: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'field:')
    .default(DEFAULT_FIELD),
  /** True: the pattern finds JSON. */
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
  /** True: the sections found by a `json` pattern are parsed. */
  match_json: booleanSetting().default(true),
  /** The maximum of sections of one pattern in one answer; further sections are left out. */
  max_sections: numberSetting().pipe(z.int().min(1).max(1_000)).default(100),
  /** The number of a text's first characters that are searched. */
  max_characters: numberSetting().pipe(z.int().min(1).max(16_777_216)).default(1_048_576),
})

export type RegexSettings = z.infer<typeof regexSettings>
export type PatternSettings = z.infer<typeof patternSettings>

/**
 * Makes a pattern for Markdown blocks; its groups hold their text. A block is fenced with three to five backticks or
 * three or four tildes and labelled with one of the words, in any case; attributes may follow the label. The text is
 * the lines between the fences without the last line's end. A block without a closing fence doesn't match.
 */
export function fencedBlock(labels: readonly string[]): string {
  const label = `[ \\t]*(?i:${labels.join('|')})(?:[ \\t:,{][^\`\\n]*)?\\r?\\n`
  const blocks = FENCES.map(([opening, closing]) => `${opening}${label}(?:(.*?)\\r?\\n)??[ \\t]*${closing}[ \\t]*\\r?$`)
  return `(?ms)^[ \\t]*(?:${blocks.join('|')})`
}
