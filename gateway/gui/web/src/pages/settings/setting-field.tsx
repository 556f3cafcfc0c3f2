import type { FieldPath } from '@llm-gateway/gui-api'
import { elementsOf, membersOf, pretty, textOf } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { FieldReason } from '../../ui/field-reason.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { fieldVerdict } from '../routers/field-verdict.ts'
import { type Member, settingKind } from './setting-kind.ts'
import { isReadOnly, type SettingsContext } from './settings-context.ts'

export type SettingFieldProps = SettingsContext & {
  readonly path: FieldPath
  readonly schema: unknown
  readonly value: unknown
}

const names = texts.settings
const DEFAULT = ''
/** Members that name an entry of a list. */
const NAMING = ['name', 'path', 'router', 'field'] as const
const SWITCH = ['true', 'false'] as const

/** Edits one setting or a group. An empty field means the default and is not written to the file. */
export function SettingField(props: SettingFieldProps) {
  const { schema, value, path } = props
  const setting = settingKind(schema)
  switch (setting.kind) {
    case 'group':
      return <Group {...props} members={setting.members} />
    case 'groups':
      return <Groups {...props} members={setting.members} />
    case 'texts':
      return <Text {...props} lines write={listOf} />
    case 'number':
      return <Text {...props} write={numberOrText} />
    case 'text':
      return <Text {...props} write={(text) => text} />
    case 'choice':
    case 'switch': {
      const options = setting.kind === 'choice' ? setting.values : SWITCH
      // A reference is not among the options, so it is edited as text.
      const isOption = value === undefined || options.includes(String(value))
      if (!isOption) return <Text {...props} write={(text) => text} />
      return <Options {...props} options={options} />
    }
    case 'other':
      return <p className="soft">{names.asText(labelOf(path), elementsOf(value).length)}</p>
    default:
      return setting satisfies never
  }
}

type TextProps = SettingFieldProps & {
  readonly lines?: boolean
  readonly write: (text: string) => unknown
}

function Text({ path, schema, value, check, readOnly, onEdit, lines, write }: TextProps) {
  const shown = lines === true ? elementsOf(value).map(String).join('\n') : value === undefined ? '' : String(value)
  const verdict = fieldVerdict(check, path, shown)
  const isVerdictShown = verdict !== undefined && (verdict.state !== 'valid' || shown.includes('$'))
  return (
    <TextInput
      label={labelOf(path)}
      hint={hintOf(schema, lines === true)}
      placeholder={defaultOf(schema)}
      mono
      isReadOnly={isReadOnly(path, readOnly)}
      value={shown}
      {...(lines === true ? { lines: Math.min(8, Math.max(2, elementsOf(value).length + 1)) } : {})}
      verdict={isVerdictShown ? verdict : undefined}
      onChange={(text) => onEdit(text === '' ? { op: 'remove', path } : { op: 'set', path, value: write(text) })}
    />
  )
}

function Options({ path, schema, value, check, onEdit, options }: SettingFieldProps & { options: readonly string[] }) {
  const verdict = fieldVerdict(check, path, '')
  const preset = defaultOf(schema)
  const shown = (option: string): string => names.options[option] ?? option
  const choices = [
    { id: DEFAULT, name: preset === '' ? names.unset : names.preset(shown(preset)) },
    ...options.map((id) => ({ id, name: shown(id) })),
  ]
  const chosen = (id: string): unknown => (options === SWITCH ? id === 'true' : id)
  return (
    <div className="stack tight">
      <Choice
        label={labelOf(path)}
        value={value === undefined ? DEFAULT : String(value)}
        options={choices}
        onChange={(id) => onEdit(id === DEFAULT ? { op: 'remove', path } : { op: 'set', path, value: chosen(id) })}
      />
      {verdict === undefined || verdict.state === 'valid' ? null : <FieldReason verdict={verdict} />}
      <Hint schema={schema} />
    </div>
  )
}

type GroupProps = SettingFieldProps & { readonly members: readonly Member[] }

function Group({ members, ...props }: GroupProps) {
  const { path, schema } = props
  return (
    <fieldset className="stack tight">
      <legend>{labelOf(path)}</legend>
      <Hint schema={schema} />
      <Members {...props} members={members} />
    </fieldset>
  )
}

function Members({ members, path, value, ...place }: GroupProps) {
  return (
    <div className="columns">
      {members.map(({ name, schema }) => (
        <SettingField key={name} {...place} path={[...path, name]} schema={schema} value={membersOf(value)[name]} />
      ))}
    </div>
  )
}

function Groups({ members, ...props }: GroupProps) {
  const { path, value, onEdit, readOnly } = props
  const entries = elementsOf(value)
  const isFixed = isReadOnly([...path, entries.length], readOnly)
  return (
    <fieldset className="stack tight">
      <legend>{labelOf(path)}</legend>
      {entries.map((entry, index) => {
        const name = NAMING.map((key) => textOf(membersOf(entry)[key])).find(Boolean) ?? names.entry(index + 1)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an entry is identified by its place in the file
          <section key={index} className="card stack tight" aria-label={name}>
            <div className="row between">
              <h3>{name}</h3>
              {isFixed ? null : (
                <Button small look="quiet" onPress={() => onEdit({ op: 'remove', path: [...path, index] })}>
                  {names.remove(name)}
                </Button>
              )}
            </div>
            <Members {...props} path={[...path, index]} value={entry} members={members} />
          </section>
        )
      })}
      {isFixed ? null : (
        <div>
          <Button
            small
            onPress={() =>
              onEdit(
                entries.length === 0
                  ? { op: 'set', path, value: [{}] }
                  : { op: 'insert', path: [...path, entries.length], value: {} },
              )
            }
          >
            {names.add(labelOf(path))}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

function Hint({ schema }: { readonly schema: unknown }) {
  const description = textOf(membersOf(schema).description)?.replaceAll('`', '')
  return description === undefined ? null : <p className="soft">{description}</p>
}

function labelOf(path: FieldPath): string {
  return String(path.findLast((step) => typeof step === 'string') ?? '')
}

function hintOf(schema: unknown, isList: boolean): string | undefined {
  const description = textOf(membersOf(schema).description)?.replaceAll('`', '')
  return isList ? names.onePerLine(description) : description
}

function defaultOf(schema: unknown): string {
  const { default: preset } = membersOf(schema)
  if (preset === undefined) return ''
  if (Array.isArray(preset)) return preset.join(' ')
  return typeof preset === 'object' ? pretty(preset) : String(preset)
}

function listOf(text: string): readonly string[] {
  return text.split('\n')
}

/** Returns a number if the text is one; any other text is a reference, maybe unfinished. */
function numberOrText(text: string): unknown {
  return /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text
}
