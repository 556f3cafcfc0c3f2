import type { FileName } from '@llm-gateway/gui-api'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { fileNames } from '../../api/file-names.ts'
import { filesQuery } from '../../api/queries.ts'
import { useFile } from '../../api/use-file.ts'
import { TextDiff } from '../../editor/text-editor.tsx'
import { elementsOf, valueAt } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Choice } from '../../ui/choice.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { ArchiveList } from './archive-list.tsx'
import { CheckList } from './check-list.tsx'
import { ConflictView } from './conflict-view.tsx'
import { DeployForm } from './deploy-form.tsx'
import { DeployOutcome, type DeployOutcomeProps } from './deploy-outcome.tsx'

/** Shows a draft's differences from the live file, with ways to deploy, discard or restore. */
export function ChangesPage() {
  const { file: asked } = useSearch({ from: '/changes' })
  const navigate = useNavigate()
  const { data: files } = useQuery(filesQuery)
  const changed = files?.find(({ draft }) => draft !== null)?.name
  const name: FileName = asked ?? changed ?? 'gl_config.json'
  const options = fileNames.map((id) => ({
    id,
    name: files?.some((file) => file.name === id && file.draft !== null) === true ? texts.changes.withDraft(id) : id,
  }))
  return (
    <>
      <PageHead title={texts.nav.changes}>
        <Choice
          label={texts.changes.file}
          hideLabel
          value={name}
          options={options}
          onChange={(file) => void navigate({ to: '/changes', search: { file } })}
        />
      </PageHead>
      <FileChanges key={name} name={name} />
    </>
  )
}

function FileChanges({ name }: { readonly name: FileName }) {
  const edited = useFile(name)
  const { file, loadFailure, conflict: unsaved, editor } = edited
  const [deployed, setDeployed] = useState<DeployOutcomeProps>()
  const [restored, setRestored] = useState<string>()
  if (loadFailure !== null) return <Failure error={loadFailure} />
  if (file === undefined) return <p className="soft">{texts.loading}</p>
  const live = file.live?.text ?? ''
  const isMoved = file.draft?.conflict === true && file.live !== null
  const conflict =
    unsaved ??
    (isMoved && file.live !== null
      ? {
          file: name,
          kind: 'live' as const,
          base: file.base,
          theirs: file.live,
          yours: { digest: file.tag, text: file.text },
        }
      : undefined)
  return (
    <>
      {deployed === undefined || file.draft !== null ? null : <DeployOutcome {...deployed} />}
      {conflict === undefined ? null : (
        <ConflictView
          key={conflict.theirs.digest}
          conflict={conflict}
          onSettle={async (text) => {
            const isLive = conflict.kind === 'live'
            const { digest } = conflict.theirs
            await editor.settle(text, isLive ? digest : undefined, isLive ? file.tag : digest)
            window.scrollTo({ top: 0 })
          }}
          onGiveUp={() => void editor.giveUp()}
        />
      )}
      {file.draft === null || conflict !== undefined ? null : (
        <>
          {restored === undefined ? null : (
            <Notice tone="accent" title={texts.archive.restored(texts.dateTime(restored))} live />
          )}
          <CheckList check={file.check} file={name} routers={elementsOf(valueAt(edited.value, ['routers']))} />
          <DeployForm
            key={restored ?? ''}
            file={file}
            proposedNote={restored === undefined ? '' : texts.archive.note(texts.dateTime(restored))}
            onOutcome={(outcome, router) => {
              setRestored(undefined)
              setDeployed({ outcome, router })
              window.scrollTo({ top: 0 })
            }}
            onDiscarded={() => setRestored(undefined)}
          />
          <section className="stack tight">
            <h2>{texts.changes.differs}</h2>
            {file.text === live ? <p>{texts.changes.onlyKeys}</p> : null}
            <TextDiff
              before={{ label: texts.changes.runs, text: live }}
              after={{ label: texts.changes.draft, text: file.text }}
            />
          </section>
        </>
      )}
      {file.draft === null && deployed === undefined ? (
        <div className="empty">
          <h2>{texts.changes.none}</h2>
          <p>{texts.changes.noneText}</p>
        </div>
      ) : null}
      <ArchiveList name={name} tag={file.tag} hasDraft={file.draft !== null} onRestored={setRestored} />
    </>
  )
}
