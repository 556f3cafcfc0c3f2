import type { ReactNode } from 'react'
import type { Tone } from './notice.tsx'

/** One word with a colour; the word says it without the colour. */
export function Badge({ tone, children }: { readonly tone?: Tone | undefined; readonly children: ReactNode }) {
  return <span className={tone === undefined ? 'badge' : `badge ${tone}`}>{children}</span>
}
