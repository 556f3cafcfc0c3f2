import type { Check, Edit, FieldPath } from '@llm-gateway/gui-api'
import { membersOf, textOf, valueAt } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { Toggle } from '../../ui/toggle.tsx'
import { fieldVerdict, isWithin } from './field-verdict.ts'
import { HeaderFields } from './header-fields.tsx'

export type RouterFormProps = {
  readonly entry: unknown
  /** The path of the entry in the file. */
  readonly path: FieldPath
  readonly check: Check
  readonly onEdit: (...edits: readonly Edit[]) => void
}

/**
 * Edits the fields of a router with the gateway's verdict on each. Fields that the form doesn't show stay unchanged.
 */
export function RouterForm({ entry, path, check, onEdit }: RouterFormProps) {
  const at = (...steps: readonly (string | number)[]): FieldPath => [...path, ...steps]
  const text = (...steps: readonly string[]): string => textOf(valueAt(entry, steps)) ?? ''
  const set = (steps: readonly string[], value: unknown) => onEdit({ op: 'set', path: at(...steps), value })
  const flag = (name: 'disabled' | 'internal', on: boolean) =>
    onEdit(on ? { op: 'set', path: at(name), value: true } : { op: 'remove', path: at(name) })
  const names = texts.fields
  const whole = check.fields.find((field) => field.path.length <= path.length && isWithin(path, field.path))
  return (
    <div className="stack wide">
      {whole === undefined ? null : <Notice tone="bad" title={whole.message} />}
      <section className="card stack">
        <h2>{names.callersUse}</h2>
        <TextInput
          label={names.path}
          hint={names.pathHint}
          mono
          value={text('path')}
          onChange={(value) => set(['path'], value)}
          verdict={fieldVerdict(check, at('path'), text('path'))}
        />
        <HeaderFields
          side="ingress"
          hint={names.ingressHint}
          value={valueAt(entry, ['ingress', 'headers'])}
          verdictOf={(name, value) => fieldVerdict(check, at('ingress', 'headers', name, 0), value)}
          onChange={(value) => set(['ingress', 'headers'], value)}
        />
        <div className="row">
          <Toggle isSelected={membersOf(entry).disabled !== true} onChange={(on) => flag('disabled', !on)}>
            {names.enabled}
          </Toggle>
          <Toggle isSelected={membersOf(entry).internal === true} onChange={(on) => flag('internal', on)}>
            {names.internal}
          </Toggle>
        </div>
      </section>
      <section className="card stack">
        <h2>{names.gatewaySends}</h2>
        <TextInput
          label={names.url}
          hint={names.urlHint}
          mono
          value={text('outbound', 'url')}
          onChange={(value) => set(['outbound', 'url'], value)}
          verdict={fieldVerdict(check, at('outbound', 'url'), text('outbound', 'url'))}
        />
        <TextInput
          label={names.endpoint}
          hint={names.endpointHint}
          mono
          value={text('outbound', 'endpoint')}
          onChange={(value) => set(['outbound', 'endpoint'], value)}
          verdict={fieldVerdict(check, at('outbound', 'endpoint'), text('outbound', 'endpoint'))}
        />
        <HeaderFields
          side="outbound"
          hint={names.outboundHint}
          value={valueAt(entry, ['outbound', 'headers'])}
          verdictOf={(name, value) => fieldVerdict(check, at('outbound', 'headers', name, 0), value)}
          onChange={(value) => set(['outbound', 'headers'], value)}
        />
      </section>
      <Variables check={check} path={path} />
    </div>
  )
}

function Variables({ check, path }: { readonly check: Check; readonly path: FieldPath }) {
  const own = check.variables.filter(({ used_at: places }) => places.some((place) => isWithin(place, path)))
  return (
    <section className="card stack tight">
      <h2>{texts.variables.title}</h2>
      <p className="soft">{own.length === 0 ? texts.variables.none : texts.variables.text}</p>
      <ul className="plain">
        {own.map(({ name, state }) => (
          <li key={name} className="row between">
            <span className="mono">{name}</span>
            <Badge tone={state === 'unset' ? 'bad' : 'good'}>{texts.variables.states[state]}</Badge>
          </li>
        ))}
      </ul>
    </section>
  )
}
