import type { Tone } from '../ui/notice.tsx'

/** Returns the colour of an answer's status. */
export function statusTone(status: number | undefined): Tone | undefined {
  if (status === undefined) return undefined
  if (status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}
