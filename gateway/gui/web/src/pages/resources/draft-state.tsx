import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Question } from '../../ui/question.tsx'
import type { KeptDraft } from './drafts.ts'

export type DraftStateProps = {
  readonly draft: KeptDraft | undefined
  readonly isStored: boolean
  readonly onDiscard: () => void
}

/** Whether the manifest on the page is the cluster's; always there, so that nothing moves when it changes. */
export function DraftState({ draft, isStored, onDiscard }: DraftStateProps) {
  const names = texts.manifest.draft
  return (
    <>
      <div className={draft === undefined ? 'draft-bar' : 'draft-bar changed'} role="status">
        <span>{draft === undefined ? names.none : isStored ? names.changed : names.onlyHere}</span>
        {draft === undefined ? (
          <span className="button small quiet-place" />
        ) : (
          <Question
            trigger={<Button small>{names.discard}</Button>}
            title={names.discardTitle}
            confirm={{ label: names.discard, danger: true, onPress: onDiscard }}
          >
            <p>{isStored ? names.discardText : names.discardLast}</p>
          </Question>
        )}
      </div>
      {draft === undefined || draft.isKept ? null : <Notice tone="warn" title={names.notKept} live />}
    </>
  )
}
