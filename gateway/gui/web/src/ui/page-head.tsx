import { type ReactNode, useEffect } from 'react'
import { texts } from '../texts.ts'

export type PageHeadProps = {
  readonly title: string
  /** A softer text beside the title. */
  readonly note?: ReactNode
  /** The buttons. */
  readonly children?: ReactNode
}

/** Shows the page's title and buttons. The head keeps its height while the data loads. */
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
