import { isShallow } from './is-shallow.ts'

/** The value of a JSON text, null where it isn't one or is nested too deeply. */
export function parseSection(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isShallow(value) ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
