import type { ResourceCheck } from '@llm-gateway/gui-api'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice, type Tone } from '../../ui/notice.tsx'
import { Question } from '../../ui/question.tsx'
import type { StoredDraft } from './drafts.ts'

export const CHECK_TONES: Readonly<Record<ResourceCheck['result'], Tone>> = {
  valid: 'good',
  not_ready: 'warn',
  invalid: 'bad',
  unknown: 'warn',
}

export type DraftStateProps = {
  readonly draft: StoredDraft | undefined
  /** True if the cluster has the resource. */
  readonly isInCluster: boolean
  /** undefined until the draft is checked. */
  readonly check: ResourceCheck | undefined
  readonly onDiscard: () => void
}

/** Shows if the manifest is a draft. The bar is always there, so that the page doesn't move. */
export function DraftState({ draft, isInCluster, check, onDiscard }: DraftStateProps) {
  const names = texts.manifest.draft
  return (
    <>
      <div className={draft === undefined ? 'draft-bar' : 'draft-bar changed'} role="status">
        <span>{draft === undefined ? names.none : isInCluster ? names.changed : names.onlyHere}</span>
        {draft === undefined ? null : (
          <span className="row">
            {check === undefined ? null : (
              <Badge tone={CHECK_TONES[check.result]}>{texts.verdict.words[check.result]}</Badge>
            )}
            <Question
              trigger={<Button small>{names.discard}</Button>}
              title={names.discardTitle}
              confirm={{ label: names.discard, danger: true, onPress: onDiscard }}
            >
              <p>{isInCluster ? names.discardText : names.discardLast}</p>
            </Question>
          </span>
        )}
      </div>
      {draft === undefined || draft.isStored ? null : <Notice tone="warn" title={names.notKept} live />}
    </>
  )
}
