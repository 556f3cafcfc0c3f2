import type { FieldPath, ResourceCheck } from '@llm-gateway/gui-api'
import { membersOf, textOf, valueAt } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import type { FieldJudge } from './resource-verdicts.ts'

export type EnvFieldsProps = {
  readonly entries: readonly unknown[]
  readonly check: ResourceCheck | undefined
  readonly judge: FieldJudge
  /** Returns the reason why the entry of a name can't be changed here. */
  readonly lockOf: (name: string) => string | undefined
  /** The path is below `spec.env`; an empty path is the list itself. */
  readonly onChange: (path: FieldPath, value: unknown) => void
}

const SOURCES = ['secretKeyRef', 'configMapKeyRef', 'value'] as const
type Source = (typeof SOURCES)[number]
const names = texts.env

/** Edits the variables of a Router, each with a name and a source of its value. */
export function EnvFields({ entries, check, judge, lockOf, onChange }: EnvFieldsProps) {
  const missing = (check?.variables ?? []).filter(({ state }) => state === 'unknown').map(({ name }) => name)
  const add = (name: string): void => {
    onChange([entries.length], { name, valueFrom: { secretKeyRef: { name: '', key: '' } } })
  }
  const remove = (at: number): void => onChange([], entries.length === 1 ? undefined : entries.toSpliced(at, 1))
  return (
    <section className="card stack">
      <div>
        <h2>{names.title}</h2>
        <p className="soft">{names.about}</p>
      </div>
      {entries.map((entry, at) => (
        <EnvEntry
          // biome-ignore lint/suspicious/noArrayIndexKey: only its place identifies an entry while its name is typed
          key={at}
          entry={entry}
          at={at}
          judge={judge}
          lock={lockOf(textOf(membersOf(entry).name) ?? '')}
          onChange={onChange}
          onRemove={() => remove(at)}
        />
      ))}
      <div className="buttons">
        {missing.map((name) => (
          <Button key={name} small onPress={() => add(name)}>
            {names.declare(name)}
          </Button>
        ))}
        <Button small onPress={() => add('')}>
          {names.add}
        </Button>
      </div>
    </section>
  )
}

type EnvEntryProps = Pick<EnvFieldsProps, 'judge' | 'onChange'> & {
  readonly entry: unknown
  readonly at: number
  readonly lock: string | undefined
  readonly onRemove: () => void
}

function EnvEntry({ entry, at, judge, lock, onChange, onRemove }: EnvEntryProps) {
  const name = textOf(membersOf(entry).name) ?? ''
  const source = sourceOf(entry)
  const options = SOURCES.map((id) => ({ id, name: names.sources[id] }))
  const input = (steps: readonly string[]) => {
    const text = textOf(valueAt(entry, steps)) ?? ''
    return {
      mono: true,
      value: text,
      isReadOnly: lock !== undefined,
      verdict: judge(['spec', 'env', at, ...steps], text),
      onChange: (written: string) => onChange([at, ...steps], written),
    }
  }
  return (
    <fieldset className="env-entry">
      <legend className="visually-hidden">{names.entry(name)}</legend>
      <TextInput label={names.name} placeholder="MY_API_KEY" hint={lock} {...input(['name'])} />
      {lock === undefined ? (
        <Choice
          label={names.source}
          value={source}
          options={options}
          onChange={(chosen) => onChange([at], entryOf(name, chosen))}
        />
      ) : null}
      {source === 'value' ? (
        <TextInput label={names.value} hint={names.valueHint} {...input(['value'])} />
      ) : (
        <>
          <TextInput label={names.objects[source]} {...input(['valueFrom', source, 'name'])} />
          <TextInput label={names.key} {...input(['valueFrom', source, 'key'])} />
        </>
      )}
      <Button small look="quiet" isDisabled={lock !== undefined} aria-label={names.removeName(name)} onPress={onRemove}>
        {texts.routers.remove}
      </Button>
    </fieldset>
  )
}

function sourceOf(entry: unknown): Source {
  const from = membersOf(membersOf(entry).valueFrom)
  return (
    SOURCES.find((source) => Object.hasOwn(from, source)) ??
    (membersOf(entry).valueFrom === undefined ? 'value' : 'secretKeyRef')
  )
}

function entryOf(name: string, source: Source): object {
  return source === 'value' ? { name, value: '' } : { name, valueFrom: { [source]: { name: '', key: '' } } }
}
