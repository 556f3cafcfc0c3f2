import { useState } from 'react'
import { texts } from '../../texts.ts'
import { Choice } from '../../ui/choice.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { SNIPPETS, type SnippetRouter } from './snippet-texts.ts'

const OPTIONS = SNIPPETS.map(({ id, name }) => ({ id, name }))

/** Shows how a program calls this router, ready to copy. */
export function Snippets(router: SnippetRouter) {
  const [chosen, setChosen] = useState<string>('curl')
  const snippet = SNIPPETS.find(({ id }) => id === chosen) ?? SNIPPETS[0]
  const text = snippet?.text(router) ?? ''
  return (
    <div className="stack">
      <div className="row between">
        <Choice label={texts.snippets.label} hideLabel value={chosen} options={OPTIONS} onChange={setChosen} />
        <CopyButton label={texts.snippets.copy} text={() => text} />
      </div>
      <pre className="payload">{text}</pre>
      <p className="soft">
        {router.headers.some(({ value }) => value === null) ? texts.snippets.keys : texts.snippets.noKeys}
      </p>
    </div>
  )
}
