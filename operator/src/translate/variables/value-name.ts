import { createHash } from 'node:crypto'

/** The name that a value has in the values Secret and in gl_config.json: V_ and 16 hex digits (kubernetes, 2.1). */
export function valueName(origin: string): string {
  return `V_${createHash('sha256').update(origin).digest('hex').slice(0, 16)}`
}
