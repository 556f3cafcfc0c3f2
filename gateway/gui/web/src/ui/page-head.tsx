import { type ReactNode, useEffect } from 'react'
import { texts } from '../texts.ts'

export type PageHeadProps = {
  readonly title: string
  /** Beside the title, softer. */
  readonly note?: ReactNode
  /** Buttons. */
  readonly children?: ReactNode
}

/** The page's title and what can be done on it; keeps its height whatever is loaded. */
export function PageHead({ title, note, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · ${texts.product}`
  }, [title])
  return (
    <header className="page-head">
      <div className="title">
        <h1>{title}</h1>
        {note === undefined ? null : <span className="soft">{note}</span>}
      </div>
      {children === undefined ? null : <div className="buttons">{children}</div>}
    </header>
  )
}
