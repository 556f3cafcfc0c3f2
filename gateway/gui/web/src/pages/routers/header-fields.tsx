import { useEffect, useRef, useState } from 'react'
import { elementsOf, isObject, membersOf } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import type { FieldVerdict } from '../../ui/field-reason.tsx'
import { TextInput } from '../../ui/text-input.tsx'

export type HeaderFieldsProps = {
  readonly legend: string
  readonly hint: string
  /** Header name → its values. */
  readonly value: unknown
  /** How the first value of a header is judged. */
  readonly verdictOf: (name: string, text: string) => FieldVerdict | undefined
  /** Why a header can't be changed here. */
  readonly lockOf?: (name: string) => string | undefined
  readonly onChange: (value: object) => void
}

type Row = { readonly id: number; readonly name: string; readonly values: readonly unknown[] }

/** Headers as rows of name and value; rows keep their places while names are typed. */
export function HeaderFields({ legend, hint, value, verdictOf, lockOf, onChange }: HeaderFieldsProps) {
  const next = useRef(0)
  const rowsOf = (map: unknown): readonly Row[] =>
    Object.entries(membersOf(map)).map(([name, values]) => ({ id: next.current++, name, values: elementsOf(values) }))
  const [rows, setRows] = useState(() => rowsOf(value))
  const shown = useRef(unordered(value))

  useEffect(() => {
    // Only what comes from elsewhere: the JSON beside the form, another person.
    const text = unordered(value)
    if (text === shown.current) return
    shown.current = text
    setRows(rowsOf(value))
  })

  const change = (changed: readonly Row[]): void => {
    setRows(changed)
    const map = Object.fromEntries(changed.filter(({ name }) => name !== '').map(({ name, values }) => [name, values]))
    const text = unordered(map)
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
        {rows.map((row, at) => {
          const lock = lockOf?.(row.name)
          return (
            <div key={row.id} className="header-row">
              <TextInput
                label={names.headerName(legend)}
                hideLabel
                placeholder={names.headerPlaceholder}
                mono
                isReadOnly={lock !== undefined}
                value={row.name}
                onChange={(name) => change(rows.with(at, { ...row, name }))}
              />
              <TextInput
                label={names.headerValue(legend, row.name)}
                hideLabel
                mono
                hint={lock}
                isReadOnly={lock !== undefined}
                value={shownValues(row.values)}
                onChange={(text) => change(rows.with(at, { ...row, values: writtenValues(text, row.values) }))}
                verdict={row.name === '' ? undefined : verdictOf(row.name, shownValues(row.values))}
              />
              <Button
                small
                look="quiet"
                isDisabled={lock !== undefined}
                aria-label={names.removeHeader(row.name)}
                onPress={() => change(rows.toSpliced(at, 1))}
              >
                {texts.routers.remove}
              </Button>
            </div>
          )
        })}
      </div>
      <div>
        <Button small onPress={() => setRows([...rows, { id: next.current++, name: '', values: [''] }])}>
          {names.addHeader(legend)}
        </Button>
      </div>
    </fieldset>
  )
}

/** Equal for equal headers, in whatever order the file has them. */
function unordered(map: unknown): string {
  return JSON.stringify(Object.entries(membersOf(map)).sort(([one], [other]) => (one < other ? -1 : 1)))
}

function shownValues(values: readonly unknown[]): string {
  const [first] = values
  return isObject(first) ? JSON.stringify(first) : String(first ?? '')
}

/** A header with several values keeps those that the form doesn't show. */
function writtenValues(text: string, before: readonly unknown[]): readonly unknown[] {
  return [text, ...before.slice(1)]
}
