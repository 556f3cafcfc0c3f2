import { elementsOf, isObject, membersOf, textOf } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { TextInput } from '../../ui/text-input.tsx'
import { Toggle } from '../../ui/toggle.tsx'

const names = texts.processors.fields
const FLAGS = ['async', 'required', 'modifier'] as const

export type ProcessorFieldsProps = { readonly value: unknown; readonly onChange: (value: object) => void }

/** Edits the most used fields of an entry and leaves the others unchanged. */
export function ProcessorFields({ value, onChange }: ProcessorFieldsProps) {
  const entry = membersOf(value)
  const set = (name: string, next: unknown): void => onChange({ ...(isObject(value) ? value : {}), [name]: next })
  const lists = elementsOf(entry.routers).map(String).join(', ')
  return (
    <div className="stack">
      <TextInput label={names.name} mono value={textOf(entry.name) ?? ''} onChange={(text) => set('name', text)} />
      <TextInput
        label={names.subject}
        hint={names.subjectHint}
        mono
        value={textOf(entry.service_bus_topic) ?? ''}
        onChange={(text) => set('service_bus_topic', text)}
      />
      <TextInput
        label={names.timeout}
        hint={names.timeoutHint}
        mono
        inputMode="numeric"
        value={String(entry.timeout ?? '')}
        onChange={(text) => set('timeout', /^\d+$/.test(text) ? Number(text) : text)}
      />
      <TextInput
        label={names.routers}
        hint={names.routersHint}
        mono
        value={lists}
        onChange={(text) => set('routers', text.trim() === '' ? undefined : text.split(',').map((path) => path.trim()))}
      />
      <div className="row">
        {FLAGS.map((name) => (
          <Toggle key={name} isSelected={entry[name] === true} onChange={(on) => set(name, on)}>
            {names[name]}
          </Toggle>
        ))}
      </div>
    </div>
  )
}
