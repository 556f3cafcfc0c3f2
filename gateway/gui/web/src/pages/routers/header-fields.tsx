import { type FocusEvent, useEffect, useRef, useState } from 'react'
import { elementsOf, isObject, membersOf } from '../../json-value.ts'
import { MASKED } from '../../masked.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import type { FieldVerdict } from '../../ui/field-reason.tsx'
import { TextInput } from '../../ui/text-input.tsx'

export type HeaderFieldsProps = {
  readonly side: 'ingress' | 'outbound'
  readonly hint: string
  /** Header name → its values. */
  readonly value: unknown
  /** Returns the verdict on the first value of a header. */
  readonly verdictOf: (name: string, text: string) => FieldVerdict | undefined
  /** Returns the reason why a header can't be changed here. */
  readonly lockOf?: (name: string) => string | undefined
  readonly onChange: (value: object) => void
}

type Row = { readonly id: number; readonly name: string; readonly values: readonly unknown[] }

/** Edits headers as rows of name and value. Rows keep their places while names are typed. */
export function HeaderFields({ side, hint, value, verdictOf, lockOf, onChange }: HeaderFieldsProps) {
  const next = useRef(0)
  const place = useRef<HTMLFieldSetElement>(null)
  // A row keeps its id with its name: with another id it would be another input and lose the focus.
  const rowsOf = (map: unknown, before: readonly Row[]): readonly Row[] =>
    Object.entries(membersOf(map)).map(([name, values]) => ({
      id: before.find((row) => row.name === name)?.id ?? next.current++,
      name,
      values: elementsOf(values),
    }))
  const [rows, setRows] = useState(() => rowsOf(value, []))
  const shown = useRef(unordered(value))

  useEffect(() => {
    // Only changes from elsewhere count: the JSON beside the form, another person, or the server's mask over a key.
    const text = unordered(value)
    if (text === shown.current) return
    shown.current = text
    // A mask over a half-typed key would remove the part that is typed already.
    const isTyped = place.current?.contains(document.activeElement) === true
    setRows((before) => (isTyped ? withTypedKeys(rowsOf(value, before), before) : rowsOf(value, before)))
  })
  const left = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    if (relatedTarget instanceof Node && currentTarget.contains(relatedTarget)) return
    if (unordered(value) === shown.current) setRows((before) => withMasks(before, rowsOf(value, before)))
  }

  const change = (changed: readonly Row[]): void => {
    setRows(changed)
    const map = Object.fromEntries(changed.filter(({ name }) => name !== '').map(({ name, values }) => [name, values]))
    const text = unordered(map)
    if (text === shown.current) return
    shown.current = text
    onChange(map)
  }
  const names = texts.fields
  const legend = names[side]
  return (
    <fieldset className="stack tight" ref={place} onBlur={left}>
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
                hint={lock ?? (isMasked(row) ? names.masked : undefined)}
                isReadOnly={lock !== undefined}
                onFocus={selectMask}
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
          {names.addHeader[side]}
        </Button>
      </div>
    </fieldset>
  )
}

function isMasked({ values }: Row): boolean {
  return values[0] === MASKED
}

/** Returns the rows with typed keys in place of masks. */
function withTypedKeys(rows: readonly Row[], typed: readonly Row[]): readonly Row[] {
  return rows.map((row) => (isMasked(row) ? { ...row, values: typedAt(typed, row) } : row))
}

function typedAt(typed: readonly Row[], { id, values }: Row): readonly unknown[] {
  return typed.find((row) => row.id === id)?.values ?? values
}

/** Returns the rows as shown, including unnamed new rows, with masks over saved keys. */
function withMasks(rows: readonly Row[], saved: readonly Row[]): readonly Row[] {
  return rows.map((row) => saved.find((one) => one.id === row.id && isMasked(one)) ?? row)
}

/**
 * Selects a mask, so that typing replaces all of it. Waits a frame, because the browser sets the caret after the focus.
 */
function selectMask({ target }: FocusEvent): void {
  if (target instanceof HTMLInputElement && target.value === MASKED) requestAnimationFrame(() => target.select())
}

/** Serializes headers in sorted order, so that equal headers have equal texts. */
function unordered(map: unknown): string {
  return JSON.stringify(Object.entries(membersOf(map)).sort(([one], [other]) => (one < other ? -1 : 1)))
}

function shownValues(values: readonly unknown[]): string {
  const [first] = values
  return isObject(first) ? JSON.stringify(first) : String(first ?? '')
}

/** Replaces the first value and keeps the others, which the form doesn't show. */
function writtenValues(text: string, before: readonly unknown[]): readonly unknown[] {
  return [text, ...before.slice(1)]
}
