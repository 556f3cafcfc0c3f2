import type { Applied, Resource } from '@llm-gateway/gui-api'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RequestFailure, request } from '../../api/request.ts'
import { type ResourcePlace, resourceQuery } from '../../api/resource-queries.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ApplyFailure } from './apply-failure.tsx'

/** Returns the key of a running apply. While the apply runs, a changed stored manifest is no conflict. */
export function applyKey(place: ResourcePlace): readonly unknown[] {
  return ['apply-resource', place]
}

export type ApplyPanelProps = {
  readonly text: string
  readonly place: ResourcePlace
  readonly stored: Resource | undefined
  /** True if there is a draft that passed the server's check. */
  readonly isReady: boolean
  /** Called with the generation of the applied resource. */
  readonly onApplied: (generation: number) => void
}

const LOOK_MS = 250
const MOST_LOOKS = 40

type Step = 'dryRunResource' | 'applyResource'

/**
 * Applies the manifest or tries it in a dry run, in mode Edit. Fields of other managers are never taken over by force.
 */
export function ApplyPanel({ text, place, stored, isReady, onApplied }: ApplyPanelProps) {
  const client = useQueryClient()
  const attempt = useMutation({
    mutationKey: applyKey(place),
    mutationFn: (step: Step) => send(step, stored?.resource_version),
    onSuccess: async (applied, step) => {
      if (step === 'dryRunResource') return
      await untilSeen(applied)
      void client.invalidateQueries({ queryKey: ['resources'] })
      onApplied(applied.generation)
    },
  })
  /** Waits until the server's watch has seen the write: before that the page would show the former state. */
  const untilSeen = async ({ generation }: Applied): Promise<void> => {
    for (let tries = 0; tries < MOST_LOOKS; tries += 1) {
      const now = await client.fetchQuery({ ...resourceQuery(place), staleTime: 0 })
      if (now !== null && now.generation >= generation) return
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
  const send = async (step: Step, version: string | undefined): Promise<Applied> => {
    const body = { manifest: text, ...(version === undefined ? {} : { resource_version: version }) }
    try {
      return await request(step, { body })
    } catch (error) {
      if (!(error instanceof RequestFailure) || error.code !== 'RESOURCE_CHANGED' || stored === undefined) throw error
      // The operator writes statuses all the time; only a changed manifest is somebody's edit.
      const now = await client.fetchQuery({ ...resourceQuery(place), staleTime: 0 })
      if (now?.manifest !== stored.manifest || now.resource_version === version) throw error
      return await request(step, { body: { manifest: text, resource_version: now.resource_version } })
    }
  }
  const names = texts.apply
  const { data, error, variables: step, isPending } = attempt
  const refusal = stored?.editable === false ? stored.not_editable : null
  const isOff = !isReady || isPending || refusal !== null
  return (
    <section className="card stack" aria-label={names.title}>
      <h2>{names.title}</h2>
      {refusal === null ? null : (
        <Notice tone="warn" title={refusal.why}>
          {refusal.command === null ? null : <CommandLine command={refusal.command} />}
        </Notice>
      )}
      <div className="buttons">
        <Button isDisabled={isOff} onPress={() => attempt.mutate('dryRunResource')}>
          {names.dryRun}
        </Button>
        <Button look="primary" isDisabled={isOff} onPress={() => attempt.mutate('applyResource')}>
          {isPending && step === 'applyResource' ? names.running : names.apply}
        </Button>
        <span className="soft">{names.manager}</span>
      </div>
      {error === null ? null : <ApplyFailure error={error} />}
      {data === undefined || isPending ? null : <Outcome applied={data} isDry={step === 'dryRunResource'} />}
    </section>
  )
}

function Outcome({ applied, isDry }: { readonly applied: Applied; readonly isDry: boolean }) {
  const { result, diff } = applied
  return (
    <Notice tone="good" title={isDry ? texts.apply.wouldBe[result] : texts.apply.was[result]} live>
      {diff === '' || !isDry ? null : <pre className="payload">{diff}</pre>}
    </Notice>
  )
}
