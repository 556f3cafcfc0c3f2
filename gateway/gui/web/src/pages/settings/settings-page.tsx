import type { File } from '@llm-gateway/gui-api'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs'
import { fileNames } from '../../api/file-names.ts'
import { schemaQuery } from '../../api/queries.ts'
import { type EditedFile, useFile } from '../../api/use-file.ts'
import { TextEditor } from '../../editor/text-editor.tsx'
import { elementsOf, parseJson, valueAt } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Choice } from '../../ui/choice.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { CheckList } from '../changes/check-list.tsx'
import { SaveFailure, SaveState } from '../routers/router-page.tsx'
import { SettingsForm } from './settings-form.tsx'

/** Shows the configuration files as fields and as text, with the check of each. */
export function SettingsPage() {
  const { file: name = 'gl_config.json' } = useSearch({ from: '/settings' })
  const navigate = useNavigate()
  const edited = useFile(name)
  const { file, loadFailure, text } = edited
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
        <FileViews key={name} file={file} edited={edited} />
      )}
      {file === undefined ? null : (
        <>
          <CheckList check={file.check} file={name} routers={elementsOf(valueAt(edited.value, ['routers']))} />
          {file.read_only.length === 0 ? null : (
            <p className="soft">{texts.settings.readOnly(file.read_only.map((path) => path.join('.')))}</p>
          )}
        </>
      )}
    </>
  )
}

type FileViewsProps = { readonly file: File; readonly edited: EditedFile }

/** Shows a file as fields and as text, always in step. The bus's file has no schema and is shown as text only. */
function FileViews({ file, edited }: FileViewsProps) {
  const { name } = file
  const { data: schema } = useQuery({ ...schemaQuery(name), enabled: file.kind === 'json' })
  const editor = (
    <TextEditor label={name} text={edited.text} onChange={(text) => edited.editor.write(text)} schema={schema} />
  )
  if (file.kind !== 'json') return editor
  return (
    <Tabs className="tabs">
      <TabList className="tab-list" aria-label={name}>
        <Tab id="form" className="tab">
          {texts.settings.form}
        </Tab>
        <Tab id="text" className="tab">
          {texts.settings.text}
        </Tab>
      </TabList>
      <TabPanel id="form" className="tab-panel">
        {schema === undefined ? (
          <p className="soft">{texts.loading}</p>
        ) : (
          <SettingsForm file={file} edited={edited} schema={schema} />
        )}
      </TabPanel>
      <TabPanel id="text" className="tab-panel">
        {editor}
      </TabPanel>
    </Tabs>
  )
}
