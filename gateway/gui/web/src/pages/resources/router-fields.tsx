import type { FieldPath, Resource, ResourceCheck } from '@llm-gateway/gui-api'
import { elementsOf, membersOf, textOf, valueAt } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import type { FieldVerdict } from '../../ui/field-reason.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { Toggle } from '../../ui/toggle.tsx'
import { HeaderFields } from '../routers/header-fields.tsx'
import { EnvFields } from './env-fields.tsx'
import { fieldJudge, ownerOf } from './resource-verdicts.ts'

export type RouterFieldsProps = {
  /** The whole manifest. */
  readonly value: unknown
  readonly stored: Resource | undefined
  /** The check of exactly this text; undefined until it is known. */
  readonly check: ResourceCheck | undefined
  readonly isEditMode: boolean
  /** Changes a value; undefined removes the member. */
  readonly onChange: (path: FieldPath, value: unknown) => void
}

const SPEC = ['spec'] as const
const names = texts.fields

/** Edits the fields of a Router with the verdict on each. In mode Edit fields of other managers are locked. */
export function RouterFields({ value, stored, check, isEditMode, onChange }: RouterFieldsProps) {
  const judge = fieldJudge(check)
  const lockOf = (path: FieldPath): string | undefined => {
    const owner = isEditMode && stored !== undefined ? ownerOf(stored.owned_fields, path) : undefined
    return owner === undefined ? undefined : texts.manifest.owned(owner)
  }
  const field = (steps: readonly string[], hint: string, fixed?: string) => {
    const path: FieldPath = [...SPEC, ...steps]
    const text = textOf(valueAt(value, [...path])) ?? ''
    const lock = fixed ?? lockOf(path)
    return {
      mono: true,
      value: text,
      hint: lock ?? hint,
      isReadOnly: lock !== undefined,
      verdict: judge(path, text),
      onChange: (written: string) =>
        onChange([...path], written === '' && steps.at(-1) === 'endpoint' ? undefined : written),
    }
  }
  const headers = (side: 'ingress' | 'outbound') => {
    const path: FieldPath = [...SPEC, side, 'headers']
    return {
      value: valueAt(value, [...path]),
      verdictOf: (name: string, text: string): FieldVerdict | undefined => judge([...path, name, 0], text),
      lockOf: (name: string) => (name === '' ? undefined : lockOf([...path, name])),
      onChange: (map: object) => onChange([...path], Object.keys(map).length === 0 ? undefined : map),
    }
  }
  const spec = membersOf(membersOf(value).spec)
  const internalLock = lockOf([...SPEC, 'internal'])
  return (
    <div className="stack wide">
      <RouterErrors check={check} />
      <section className="card stack">
        <h2>{names.callersUse}</h2>
        <TextInput
          label={names.path}
          {...field(['path'], texts.manifest.pathHint, stored === undefined ? undefined : texts.manifest.pathFixed)}
        />
        <HeaderFields side="ingress" hint={names.ingressHint} {...headers('ingress')} />
        <div>
          <Toggle
            isSelected={spec.internal === true}
            isDisabled={internalLock !== undefined}
            onChange={(on) => onChange([...SPEC, 'internal'], on ? true : undefined)}
          >
            {names.internal}
          </Toggle>
          {internalLock === undefined ? null : <p className="soft">{internalLock}</p>}
        </div>
      </section>
      <section className="card stack">
        <h2>{names.gatewaySends}</h2>
        <TextInput label={names.url} {...field(['outbound', 'url'], texts.manifest.urlHint)} />
        <TextInput label={names.endpoint} {...field(['outbound', 'endpoint'], names.endpointHint)} />
        <HeaderFields side="outbound" hint={texts.manifest.outboundHint} {...headers('outbound')} />
      </section>
      <EnvFields
        entries={elementsOf(spec.env)}
        check={check}
        judge={judge}
        lockOf={(name) => (name === '' ? undefined : lockOf([...SPEC, 'env', `name="${name}"`]))}
        onChange={(path, written) => onChange([...SPEC, 'env', ...path], written)}
      />
    </div>
  )
}

/** Shows problems of the manifest as a whole. */
function RouterErrors({ check }: { readonly check: ResourceCheck | undefined }) {
  const whole = (check?.errors ?? []).filter(({ path }) => path === '' || path === 'spec')
  return whole.map(({ message }) => <Notice key={message} tone="bad" title={message} />)
}
