import type { Resource } from '@llm-gateway/gui-api'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { request } from '../../api/request.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { Question } from '../../ui/question.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { ApplyFailure } from './apply-failure.tsx'

/** Deletes a resource in mode Edit, after its name was typed. */
export function DeleteResource({ resource }: { readonly resource: Resource }) {
  const { kind, namespace, name } = resource
  const client = useQueryClient()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const attempt = useMutation({
    mutationFn: () => request('deleteResource', { parameters: { kind, namespace, name } }),
    onSuccess: async () => {
      void client.invalidateQueries({ queryKey: ['resources'] })
      await navigate({ to: kind === 'Router' ? '/routers' : '/processors' })
    },
  })
  const names = texts.deleting
  return (
    <>
      <Question
        trigger={
          <Button look="quiet" onPress={() => setTyped('')}>
            {names.action}
          </Button>
        }
        title={names.title(kind, name)}
        confirm={{ label: names.action, danger: true, isDisabled: typed !== name, onPress: () => attempt.mutate() }}
      >
        <p>{names.effect[kind]}</p>
        <TextInput label={names.type(name)} mono value={typed} onChange={setTyped} autoFocus />
      </Question>
      {attempt.error === null ? null : (
        <div className="whole-line">
          <ApplyFailure error={attempt.error} />
        </div>
      )}
    </>
  )
}
