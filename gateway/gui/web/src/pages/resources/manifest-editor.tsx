import type { Resource } from '@llm-gateway/gui-api'
import { useIsMutating, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { type ResourcePlace, resourceSchemaQuery, useShownGateway } from '../../api/resource-queries.ts'
import { TextEditor } from '../../editor/text-editor.tsx'
import { texts } from '../../texts.ts'
import { Failure } from '../../ui/failure.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ApplyPanel, applyKey } from './apply-panel.tsx'
import { CheckResult } from './check-result.tsx'
import { DraftConflict } from './draft-conflict.tsx'
import { DraftState } from './draft-state.tsx'
import { type GatewayName, useDraft } from './drafts.ts'
import { changeManifest, readManifest } from './manifest.ts'
import { ManifestExport } from './manifest-export.tsx'
import { RouterFields } from './router-fields.tsx'
import { useCheck } from './use-check.ts'

export type ManifestEditorProps = {
  readonly gateway: GatewayName
  readonly place: ResourcePlace
  /** undefined if the resource isn't in the cluster. */
  readonly stored: Resource | undefined
}

/** Edits a manifest by form and YAML, and shows its check and the ways to apply it. */
export function ManifestEditor({ gateway, place, stored }: ManifestEditorProps) {
  const { draft, keep } = useDraft(gateway, place)
  const text = draft?.text ?? stored?.manifest ?? ''
  const mode = useShownGateway()?.mode
  const isSending = useIsMutating({ mutationKey: applyKey(place) }) > 0
  const [applied, setApplied] = useState<number>()
  const isApplying = isSending || applied !== undefined
  useEffect(() => {
    // Wait for the applied resource: without draft and resource the page would be empty for a moment.
    if (applied === undefined || stored === undefined || stored.generation < applied) return
    setApplied(undefined)
    keep(undefined)
  }, [applied, stored, keep])
  const { check, error, isOutdated } = useCheck(text, stored?.generation)
  const { data: schema } = useQuery(resourceSchemaQuery(place.kind))
  const read = useMemo(() => readManifest(text), [text])
  const problems = useMemo(() => {
    if ('problem' in read) return [read.problem]
    return (check?.errors ?? []).map(({ line, path, message }) => ({ line: line ?? 1, message: `${path} ${message}` }))
  }, [read, check])
  if (text === '') return null
  const write = (next: string): void => {
    if (next === stored?.manifest) keep(undefined)
    else keep({ text: next, base: draft === undefined ? (stored?.manifest ?? null) : draft.base })
  }
  const isForm = place.kind === 'Router'
  const editor = (
    <section className="stack tight">
      <h2>{texts.manifest.yaml}</h2>
      <TextEditor
        label={texts.manifest.yamlOf(place.name)}
        language="yaml"
        text={text}
        onChange={write}
        schema={schema}
        problems={problems}
      />
      <p className="soft" role="status">
        {'problem' in read ? texts.manifest.halfYaml(read.problem.line) : isForm ? texts.manifest.inStep : null}
      </p>
    </section>
  )
  return (
    <>
      <DraftState draft={draft} isInCluster={stored !== undefined} check={check} onDiscard={() => keep(undefined)} />
      {draft === undefined || stored === undefined || draft.base === stored.manifest || isApplying ? null : (
        <DraftConflict draft={draft} stored={stored.manifest} onSettle={keep} />
      )}
      {isForm ? (
        <div className="edit-columns manifest-columns">
          {'problem' in read ? (
            <Notice tone="warn" title={texts.manifest.formWaits} />
          ) : (
            <RouterFields
              value={read.value}
              stored={stored}
              check={isOutdated ? undefined : check}
              isEditMode={mode === 'Edit'}
              onChange={(path, value) => write(changeManifest(text, path, value))}
            />
          )}
          {editor}
        </div>
      ) : (
        editor
      )}
      {error === null ? null : <Failure error={error} />}
      {check === undefined || 'problem' in read ? null : (
        <CheckResult check={check} stored={stored} text={text} isOutdated={isOutdated} />
      )}
      {check === undefined || 'problem' in read ? null : (
        <>
          {mode === 'Edit' ? (
            <ApplyPanel
              text={text}
              place={place}
              stored={stored}
              isReady={!isOutdated && check.result !== 'invalid' && draft !== undefined}
              onApplied={setApplied}
            />
          ) : null}
          <ManifestExport text={text} place={place} check={check} managers={stored?.managed_by ?? []} />
        </>
      )}
    </>
  )
}
