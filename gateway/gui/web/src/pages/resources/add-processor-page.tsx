import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useShownGateway } from '../../api/resource-queries.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { beginDraft, type GatewayName } from './drafts.ts'
import { writeManifest } from './manifest.ts'
import { NewResourceName, useNameProblem } from './new-resource-name.tsx'

const names = texts.addResource
const TYPES = [
  { id: 'Tokenizer', settings: {} },
  { id: 'TokenCounter', settings: {} },
  { id: 'ContentFilter', settings: {} },
  { id: 'NlpEntities', settings: {} },
  { id: 'Regex', settings: {} },
  { id: 'CharacterCount', settings: {} },
  { id: 'Mock', settings: {} },
  { id: 'Broker', settings: { broker: { pools: [{ path: '/pool/', members: ['/pool/one/', '/pool/two/'] }] } } },
  {
    id: 'Custom',
    settings: {
      custom: { image: 'registry.example/my-processor:1' },
      request: { order: 20, inputFields: ['ingress_payload'], outputFields: ['my_field'], timeoutMs: 500 },
    },
  },
] as const

export function AddProcessorPage() {
  const gateway = useShownGateway()
  return gateway === undefined ? <PageHead title={names.processorTitle} /> : <AddProcessor gateway={gateway} />
}

/** Makes a Processor's manifest from a type and a name. */
function AddProcessor({ gateway }: { readonly gateway: GatewayName }) {
  const navigate = useNavigate()
  const [type, setType] = useState<(typeof TYPES)[number]['id']>('Tokenizer')
  const [ownName, setOwnName] = useState<string>()
  const [isStored, setIsStored] = useState(true)
  const { namespace } = gateway
  const name = ownName ?? type.replaceAll(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase()
  const place = { kind: 'Processor', namespace, name } as const
  const problem = useNameProblem(gateway, place)
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (problem !== undefined) return
    const settings = TYPES.find(({ id }) => id === type)?.settings
    const manifest = {
      apiVersion: 'llmgateway.io/v1alpha1',
      kind: 'Processor',
      metadata: { name, namespace },
      spec: { gatewayRef: { name: gateway.gateway }, type, ...settings },
    }
    const kept = beginDraft(gateway, place, writeManifest(manifest))
    setIsStored(kept)
    if (kept) await navigate({ to: '/processors/$namespace/$name', params: { namespace, name } })
  }
  const options = TYPES.map(({ id }) => ({ id, name: names.types[id] }))
  return (
    <>
      <PageHead title={names.processorTitle} />
      <form className="card stack narrow" onSubmit={(event) => void add(event)}>
        <Choice label={names.type} value={type} options={options} onChange={setType} />
        <NewResourceName place={place} problem={problem} onName={setOwnName} />
        <p className="soft">{names.processorPlace(namespace)}</p>
        {isStored ? null : <Notice tone="bad" title={texts.manifest.draft.notKept} live />}
        <div className="buttons">
          <Button type="submit" look="primary" isDisabled={problem !== undefined}>
            {names.submit}
          </Button>
          <span className="soft">{names.draftOnly}</span>
        </div>
      </form>
    </>
  )
}
