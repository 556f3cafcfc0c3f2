import { type FocusEvent, useEffect, useRef, useState } from 'react'
import { elementsOf, isObject, membersOf } from '../../json-value.ts'
import { MASKED } from '../../masked.ts'
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
  const place = useRef<HTMLFieldSetElement>(null)
  // A row keeps its number with its name: another one would be another field, and the focus would be lost.
  const rowsOf = (map: unknown, before: readonly Row[]): readonly Row[] =>
    Object.entries(membersOf(map)).map(([name, values]) => ({
      id: before.find((row) => row.name === name)?.id ?? next.current++,
      name,
      values: elementsOf(values),
    }))
  const [rows, setRows] = useState(() => rowsOf(value, []))
  const shown = useRef(unordered(value))

  useEffect(() => {
    // Only what comes from elsewhere: the JSON beside the form, another person, the server's mask over a key.
    const text = unordered(value)
    if (text === shown.current) return
    shown.current = text
    // A mask over half a key would take the other half away from whoever still types it.
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
          {names.addHeader(legend)}
        </Button>
      </div>
    </fieldset>
  )
}

function isMasked({ values }: Row): boolean {
  return values[0] === MASKED
}

/** The rows, but keys as they were typed in place of masks. */
function withTypedKeys(rows: readonly Row[], typed: readonly Row[]): readonly Row[] {
  return rows.map((row) => (isMasked(row) ? { ...row, values: typedAt(typed, row) } : row))
}

function typedAt(typed: readonly Row[], { id, values }: Row): readonly unknown[] {
  return typed.find((row) => row.id === id)?.values ?? values
}

/** The rows as they stand, an unnamed new one too, with masks over keys that are saved. */
function withMasks(rows: readonly Row[], saved: readonly Row[]): readonly Row[] {
  return rows.map((row) => saved.find((one) => one.id === row.id && isMasked(one)) ?? row)
}

/** Whoever begins to type replaces a mask whole; the browser puts the caret after the focus, so this waits. */
function selectMask({ target }: FocusEvent): void {
  if (target instanceof HTMLInputElement && target.value === MASKED) requestAnimationFrame(() => target.select())
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
