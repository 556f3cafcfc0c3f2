import type { FileName } from '@llm-gateway/gui-api'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useFile } from '../api/file-editor.ts'
import { fileNames } from '../api/file-names.ts'
import { schemaQuery } from '../api/queries.ts'
import { JsonEditor } from '../editor/json-editor.tsx'
import { parseJson } from '../json-value.ts'
import { texts } from '../texts.ts'
import { Choice } from '../ui/choice.tsx'
import { Failure } from '../ui/failure.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { CheckList } from './changes/check-list.tsx'
import { SaveFailure, SaveState } from './routers/router-page.tsx'

/** The configuration files as text, with what the gateway's check says of each. */
export function SettingsPage() {
  const { file: name = 'gl_config.json' } = useSearch({ from: '/settings' })
  const navigate = useNavigate()
  const edited = useFile(name)
  const { file, loadFailure, editor, text } = edited
  const options = fileNames.map((id) => ({ id, name: id }))
  const parsed = file?.kind === 'json' ? parseJson(text) : undefined
  return (
    <>
      <PageHead title={texts.nav.settings}>
        <SaveState edited={edited} />
        <Choice
          label={texts.changes.file}
          hideLabel
          value={name}
          options={options}
          onChange={(chosen) => void navigate({ to: '/settings', search: { file: chosen } })}
        />
      </PageHead>
      <p className="soft">{texts.settings.about[name]}</p>
      {loadFailure === null ? null : <Failure error={loadFailure} />}
      <SaveFailure edited={edited} />
      {parsed !== undefined && 'problem' in parsed ? (
        <Notice tone="bad" title={texts.save.halfJson(parsed.problem)} />
      ) : null}
      {file === undefined ? (
        <p className="soft">{texts.loading}</p>
      ) : (
        <FileText key={name} name={name} text={text} onChange={(written) => editor.write(written)} />
      )}
      {file === undefined ? null : (
        <>
          <CheckList check={file.check} file={name} />
          {file.read_only.length === 0 ? null : (
            <p className="soft">{texts.settings.readOnly(file.read_only.map((path) => path.join('.')))}</p>
          )}
        </>
      )}
    </>
  )
}

type FileTextProps = { readonly name: FileName; readonly text: string; readonly onChange: (text: string) => void }

function FileText({ name, text, onChange }: FileTextProps) {
  const { data: schema } = useQuery({ ...schemaQuery(name), enabled: name !== 'nats-server.conf' })
  return <JsonEditor label={name} text={text} onChange={onChange} schema={schema} />
}
