import type { ReactNode } from 'react'

export type Tone = 'good' | 'warn' | 'bad' | 'accent'

export type NoticeProps = {
  readonly tone: Tone
  readonly title: string
  readonly children?: ReactNode
  /** True if a screen reader reads the notice when it appears. */
  readonly live?: boolean
}

/** Shows a message that a person should see before going on: the state and the next step. */
export function Notice({ tone, title, children, live }: NoticeProps) {
  return (
    <div className={`notice ${tone}`} role={live === true ? (tone === 'bad' ? 'alert' : 'status') : undefined}>
      <strong>{title}</strong>
      {children === undefined ? null : <div>{children}</div>}
    </div>
  )
}
