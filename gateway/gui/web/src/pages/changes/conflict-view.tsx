import type { Conflict } from '@llm-gateway/gui-api'
import { useMemo, useState } from 'react'
import { TextDiff, TextEditor } from '../../editor/text-editor.tsx'
import { elementsOf, parseJson, valueAt } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Notice } from '../../ui/notice.tsx'
import { mergeFile } from './merge-file.ts'
import { readablePath } from './readable-path.ts'

export type ConflictViewProps = {
  readonly conflict: Conflict
  /** Saves the text as the draft. */
  readonly onSettle: (text: string) => Promise<void>
  readonly onGiveUp: () => void
}

/** Shows two conflicting changes of a file and a merged text. */
export function ConflictView({ conflict, onSettle, onGiveUp }: ConflictViewProps) {
  const { kind, base, theirs, yours } = conflict
  const isJson = conflict.file.endsWith('.json')
  const merged = useMemo(
    () => mergeFile(conflict.file, { base: base?.text ?? '', theirs: theirs.text, yours: yours.text }),
    [conflict.file, base, theirs, yours],
  )
  const problems = useMemo(
    () => (merged.line === undefined ? [] : [{ line: merged.line, message: texts.conflict.clash }]),
    [merged],
  )
  const [text, setText] = useState(merged.text)
  const [failure, setFailure] = useState<Error>()
  const settle = (written: string): void => {
    setFailure(undefined)
    onSettle(written).catch((error) => setFailure(error instanceof Error ? error : new Error(String(error))))
  }
  const names = texts.conflict
  const parsed = parseJson(merged.text)
  const routers = 'problem' in parsed ? [] : elementsOf(valueAt(parsed.value, ['routers']))
  return (
    <section className="stack">
      <Notice tone="warn" title={names[kind].title}>
        <p>
          {merged.clashes.length === 0
            ? names.fits
            : names.clashes(merged.clashes.map((path) => readablePath(conflict.file, path, routers)))}
        </p>
      </Notice>
      {failure === undefined ? null : <Failure error={failure} />}
      <div className="columns">
        <section className="stack tight">
          <h2>{names[kind].theirs}</h2>
          <TextDiff
            before={{ label: names.base, text: base?.text ?? '' }}
            after={{ label: names[kind].theirs, text: theirs.text }}
          />
        </section>
        <section className="stack tight">
          <h2>{names.yours}</h2>
          <TextDiff
            before={{ label: names.base, text: base?.text ?? '' }}
            after={{ label: names.yours, text: yours.text }}
          />
        </section>
      </div>
      <section className="stack tight">
        <h2>{names.both}</h2>
        <TextEditor label={names.both} text={text} onChange={setText} problems={problems} begin={merged.line} />
        <div className="buttons">
          <Button look="primary" isDisabled={isJson && 'problem' in parseJson(text)} onPress={() => settle(text)}>
            {names.save}
          </Button>
          <Button onPress={() => settle(yours.text)}>{names.keepYours}</Button>
          <Button onPress={kind === 'draft' ? onGiveUp : () => settle(theirs.text)}>{names.takeTheirs}</Button>
        </div>
      </section>
    </section>
  )
}
