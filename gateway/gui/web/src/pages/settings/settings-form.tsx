import type { File } from '@llm-gateway/gui-api'
import type { EditedFile } from '../../api/use-file.ts'
import { membersOf } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { SettingField } from './setting-field.tsx'
import { type Member, settingKind } from './setting-kind.ts'

/** Members with separate pages, and members that people don't set. */
const SEPARATE_MEMBERS: ReadonlySet<string> = new Set(['$schema', 'version', 'routers', 'request', 'response'])

export type SettingsFormProps = {
  readonly file: File
  readonly edited: EditedFile
  readonly schema: unknown
}

/** Edits a file by fields made from its JSON Schema. Members that it doesn't show stay unchanged. */
export function SettingsForm({ file, edited: { editor, value }, schema }: SettingsFormProps) {
  const whole = settingKind(schema)
  const all = whole.kind === 'group' ? whole.members.filter(({ name }) => !SEPARATE_MEMBERS.has(name)) : []
  const members = ofMode(all, value)
  const isPart = ({ schema }: Member): boolean => ['group', 'groups'].includes(settingKind(schema).kind)
  const place = { check: file.check, readOnly: file.read_only, onEdit: editor.edit.bind(editor) }
  const field = ({ name, schema }: Member) => (
    <SettingField key={name} {...place} path={[name]} schema={schema} value={membersOf(value)[name]} />
  )
  const single = members.filter((member) => !isPart(member))
  // The part of the chosen mode comes first, because it is set next.
  const { mode } = membersOf(value)
  const parts = members.filter(isPart).sort((one, other) => Number(other.name === mode) - Number(one.name === mode))
  return (
    <div className="stack wide">
      {single.length === 0 ? null : (
        <section className="card stack">
          <h2>{texts.settings.general}</h2>
          <div className="columns">{single.map(field)}</div>
        </section>
      )}
      {parts.map((member) => (
        <section key={member.name} className="card stack">
          {field(member)}
        </section>
      ))}
    </div>
  )
}

/** Hides the parts of other modes: in a sink's file only the chosen mode's part counts. */
function ofMode(members: readonly Member[], value: unknown): readonly Member[] {
  const modes = settingKind(members.find(({ name }) => name === 'mode')?.schema)
  if (modes.kind !== 'choice') return members
  return members.filter(({ name }) => name === membersOf(value).mode || !modes.values.includes(name))
}
