import type { DeployResult, File } from '@llm-gateway/gui-api'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { fileQuery, routersQuery } from '../../api/queries.ts'
import { RequestFailure, request } from '../../api/request.ts'
import { elementsOf, parseJson, valueAt } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Question } from '../../ui/question.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { Toggle } from '../../ui/toggle.tsx'

export type DeployFormProps = {
  readonly file: File
  /** A note for the deploy, if the page can propose one. */
  readonly proposedNote: string
  readonly onOutcome: (outcome: DeployResult, router: string | undefined) => void
  readonly onDiscarded: () => void
}

/** Deploys or discards a draft. */
export function DeployForm({ file, proposedNote, onOutcome, onDiscarded }: DeployFormProps) {
  const client = useQueryClient()
  const [note, setNote] = useState(proposedNote)
  const [accepts, setAccepts] = useState(false)
  const { name, tag, check, takes_effect: effect } = file
  const deploy = useMutation({
    mutationFn: () => request('deploy', { parameters: { file: name }, body: { tag, note, accept_rejected: accepts } }),
    // Read before the deploy: afterwards no router is new.
    onMutate: () =>
      client
        .getQueryData(routersQuery.queryKey)
        ?.routers.find(({ deployed, state }) => deployed !== 'live' && state === 'active'),
    onSuccess: (outcome, _, brought) => onOutcome(outcome, brought?.path),
    // A refusal may come from a conflict, so the current state is loaded.
    onSettled: () => client.invalidateQueries(),
  })
  const discard = useMutation({
    mutationFn: () => request('discardDraft', { parameters: { file: name }, query: { tag } }),
    onSuccess: (saved) => {
      onDiscarded()
      client.setQueryData(fileQuery(name).queryKey, saved)
      return client.invalidateQueries()
    },
  })
  const isPartly = check.result === 'partly'
  const needsAccept = isPartly && !areOffAlready(file)
  const ready = check.result !== 'invalid' && (!needsAccept || accepts)
  const error = deploy.error ?? discard.error
  return (
    <section className="card stack">
      {error === null ? null : <Failure error={error instanceof RequestFailure ? error : new Error(String(error))} />}
      <div className="deploy">
        <TextInput
          label={texts.deploy.note}
          placeholder={texts.deploy.notePlaceholder}
          value={note}
          onChange={setNote}
        />
        <Button look="primary" isDisabled={!ready || deploy.isPending} onPress={() => deploy.mutate()}>
          {deploy.isPending ? texts.deploy.running : texts.deploy.action}
        </Button>
        <Question
          trigger={<Button look="quiet">{texts.deploy.discard}</Button>}
          title={texts.deploy.discardTitle}
          confirm={{ label: texts.deploy.discard, danger: true, onPress: () => discard.mutate() }}
        >
          <p>{texts.deploy.discardText}</p>
        </Question>
      </div>
      {needsAccept ? (
        <Toggle isSelected={accepts} onChange={setAccepts}>
          {texts.deploy.accept}
        </Toggle>
      ) : null}
      {isPartly && !needsAccept ? <p className="soft">{texts.deploy.offAlready}</p> : null}
      <p className="soft">{check.result === 'invalid' ? texts.deploy.fixFirst : texts.deploy.effects[effect]}</p>
    </section>
  )
}

/** Returns whether all routers that would be rejected are rejected already, so that the deploy disables none. */
function areOffAlready({ text, live, check }: File): boolean {
  const [before, after] = [live?.text ?? '', text].map((one) => {
    const parsed = parseJson(one)
    return 'problem' in parsed
      ? []
      : elementsOf(valueAt(parsed.value, ['routers'])).map((entry) => JSON.stringify(entry))
  })
  return check.fields.every(({ path: [part, index], state }) => {
    if (state === 'missing') return true
    // Only unset variables count: other faults may depend on more than the router's own text.
    if (state !== 'required' || part !== 'routers' || typeof index !== 'number') return false
    const entry = after?.[index]
    return entry !== undefined && before?.includes(entry) === true
  })
}
