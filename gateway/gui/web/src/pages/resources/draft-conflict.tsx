import { useMemo, useState } from 'react'
import { TextDiff, TextEditor } from '../../editor/text-editor.tsx'
import { isObject } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Draft } from './drafts.ts'
import { readManifest } from './manifest.ts'
import { mergeManifests } from './merge-manifests.ts'

export type DraftConflictProps = {
  readonly draft: Draft
  /** The stored manifest. */
  readonly stored: string
  /** Called with the merged draft, or undefined if the draft is given up. */
  readonly onSettle: (draft: Draft | undefined) => void
}

/** Shows a draft whose stored resource has changed: both changes and a merged text. */
export function DraftConflict({ draft, stored, onSettle }: DraftConflictProps) {
  const isDone = useMemo(() => isContained(manifestValue(draft.text), manifestValue(stored)), [draft.text, stored])
  const names = texts.manifest.conflict
  if (isDone) {
    return (
      <Notice tone="good" title={names.done}>
        <Button small onPress={() => onSettle(undefined)}>
          {names.finish}
        </Button>
      </Notice>
    )
  }
  return <MergeDraft key={stored} draft={draft} stored={stored} onSettle={onSettle} />
}

function MergeDraft({ draft, stored, onSettle }: DraftConflictProps) {
  const base = draft.base ?? ''
  const merged = useMemo(() => mergeManifests({ base, theirs: stored, yours: draft.text }), [base, stored, draft.text])
  const [edited, setEdited] = useState<string>()
  const text = edited ?? merged.text
  const names = texts.manifest.conflict
  const settle = (settled: string): void => onSettle(settled === stored ? undefined : { text: settled, base: stored })
  return (
    <section className="stack" aria-label={names.title}>
      <Notice tone="warn" title={draft.base === null ? names.madeMeanwhile : names.title} live>
        <p>{merged.clashes.length === 0 ? names.fits : names.clashes(merged.clashes)}</p>
      </Notice>
      <div className="columns">
        <section className="stack tight">
          <h2>{names.theirs}</h2>
          <TextDiff
            language="yaml"
            before={{ label: names.base, text: base }}
            after={{ label: names.theirs, text: stored }}
          />
        </section>
        <section className="stack tight">
          <h2>{names.yours}</h2>
          <TextDiff
            language="yaml"
            before={{ label: names.base, text: base }}
            after={{ label: names.yours, text: draft.text }}
          />
        </section>
      </div>
      <section className="stack tight">
        <h2>{names.both}</h2>
        <TextEditor label={names.both} language="yaml" text={text} onChange={setEdited} />
        <div className="buttons">
          <Button look="primary" isDisabled={'problem' in readManifest(text)} onPress={() => settle(text)}>
            {names.keepBoth}
          </Button>
          <Button onPress={() => settle(draft.text)}>{names.keepYours}</Button>
          <Button onPress={() => settle(stored)}>{names.takeTheirs}</Button>
        </div>
      </section>
    </section>
  )
}

function manifestValue(text: string): unknown {
  const read = readManifest(text)
  return 'problem' in read ? undefined : read.value
}

/** Returns whether `other` has all values of `one`; it may have more, since the API server adds defaults. */
function isContained(one: unknown, other: unknown): boolean {
  if (isObject(one))
    return isObject(other) && Object.entries(one).every(([name, value]) => isContained(value, other[name]))
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) && one.length === other.length && one.every((value, at) => isContained(value, other[at]))
    )
  }
  return one === other
}
