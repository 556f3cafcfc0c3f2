import type { Check, FieldPath } from '@llm-gateway/gui-api'
import { useEffect, useRef, useState } from 'react'
import { elementsOf, isObject, membersOf } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { verdictAt } from './verdict-at.ts'

export type HeaderFieldsProps = {
  readonly legend: string
  readonly hint: string
  /** The map's place in the file. */
  readonly path: FieldPath
  /** Header name → its values. */
  readonly value: unknown
  readonly check: Check | undefined
  readonly onChange: (value: object) => void
}

type Row = { readonly id: number; readonly name: string; readonly values: readonly unknown[] }

/** Headers as rows of name and value; rows keep their places while names are typed. */
export function HeaderFields({ legend, hint, path, value, check, onChange }: HeaderFieldsProps) {
  const next = useRef(0)
  const rowsOf = (map: unknown): readonly Row[] =>
    Object.entries(membersOf(map)).map(([name, values]) => ({ id: next.current++, name, values: elementsOf(values) }))
  const [rows, setRows] = useState(() => rowsOf(value))
  const shown = useRef(JSON.stringify(value ?? {}))

  useEffect(() => {
    // Only what comes from elsewhere: the JSON beside the form, another person.
    const text = JSON.stringify(value ?? {})
    if (text === shown.current) return
    shown.current = text
    setRows(rowsOf(value))
  })

  const change = (changed: readonly Row[]): void => {
    setRows(changed)
    const map = Object.fromEntries(changed.filter(({ name }) => name !== '').map(({ name, values }) => [name, values]))
    const text = JSON.stringify(map)
    if (text === shown.current) return
    shown.current = text
    onChange(map)
  }
  const names = texts.fields
  return (
    <fieldset className="stack tight">
      <legend>{legend}</legend>
      <p className="soft">{hint}</p>
      <div className="header-rows">
        {rows.map((row, at) => (
          <div key={row.id} className="header-row">
            <TextInput
              label={names.headerName(legend)}
              hideLabel
              placeholder={names.headerPlaceholder}
              mono
              value={row.name}
              onChange={(name) => change(rows.with(at, { ...row, name }))}
            />
            <TextInput
              label={names.headerValue(legend, row.name)}
              hideLabel
              mono
              value={shownValues(row.values)}
              onChange={(text) => change(rows.with(at, { ...row, values: writtenValues(text, row.values) }))}
              verdict={row.name === '' ? undefined : verdictAt(check, [...path, row.name, 0], shownValues(row.values))}
            />
            <Button
              small
              look="quiet"
              aria-label={names.removeHeader(row.name)}
              onPress={() => change(rows.toSpliced(at, 1))}
            >
              {texts.routers.remove}
            </Button>
          </div>
        ))}
      </div>
      <div>
        <Button small onPress={() => setRows([...rows, { id: next.current++, name: '', values: [''] }])}>
          {names.addHeader(legend)}
        </Button>
      </div>
    </fieldset>
  )
}

function shownValues(values: readonly unknown[]): string {
  const [first] = values
  return isObject(first) ? JSON.stringify(first) : String(first ?? '')
}

/** A header with several values keeps those that the form doesn't show. */
function writtenValues(text: string, before: readonly unknown[]): readonly unknown[] {
  return [text, ...before.slice(1)]
}
