import { createHash } from 'node:crypto'

/**
 * The name of a value in the values Secret and in gl_config.json: `V_` and 16 hex digits
 * (docs/reference/configuration-rules.md#references).
 */
export function valueName(origin: string): string {
  return `V_${createHash('sha256').update(origin).digest('hex').slice(0, 16)}`
}
