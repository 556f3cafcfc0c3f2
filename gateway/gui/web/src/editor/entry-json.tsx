import { useEffect, useRef, useState } from 'react'
import { parseJson, pretty } from '../json-value.ts'
import { texts } from '../texts.ts'
import { TextEditor } from './text-editor.tsx'

export type EntryJsonProps = {
  readonly label: string
  readonly value: unknown
  readonly schema: object | undefined
  readonly onChange: (value: unknown) => void
}

/**
 * Shows a part of a file as JSON beside its form. Each follows the other; an incomplete text waits until it is valid.
 */
export function EntryJson({ label, value, schema, onChange }: EntryJsonProps) {
  const [text, setText] = useState(() => pretty(value))
  const known = useRef(JSON.stringify(value))
  useEffect(() => {
    const now = JSON.stringify(value)
    if (now === known.current) return
    known.current = now
    setText(pretty(value))
  }, [value])
  const parsed = parseJson(text)
  const write = (written: string): void => {
    setText(written)
    const found = parseJson(written)
    if ('problem' in found) return
    known.current = JSON.stringify(found.value)
    onChange(found.value)
  }
  return (
    <div className="stack tight">
      <TextEditor label={label} text={text} onChange={write} schema={schema} />
      <p className="soft" role="status">
        {'problem' in parsed ? texts.save.halfJson(parsed.problem) : texts.save.inStep}
      </p>
    </div>
  )
}
