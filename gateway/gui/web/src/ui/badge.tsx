import type { ReactNode } from 'react'
import type { Tone } from './notice.tsx'

/** Shows one word with a colour. The colour adds nothing to the word. */
export function Badge({ tone, children }: { readonly tone?: Tone | undefined; readonly children: ReactNode }) {
  return <span className={tone === undefined ? 'badge' : `badge ${tone}`}>{children}</span>
}
