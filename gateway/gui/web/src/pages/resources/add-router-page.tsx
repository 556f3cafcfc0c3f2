import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useShownGateway } from '../../api/resource-queries.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { PRESETS } from '../routers/presets.ts'
import { beginDraft, type GatewayName } from './drafts.ts'
import { writeManifest } from './manifest.ts'
import { isNamespace, NewResourceName, useNameProblem } from './new-resource-name.tsx'
import { type KeyPlace, newRouter } from './new-router.ts'

const names = texts.addResource
/** All presets but `base`, whose address and key are variables of the standalone gateway. */
const APIS = PRESETS.filter(({ id }) => id !== 'base')
const NO_KEY: KeyPlace = { secret: '', key: '' }

export function AddRouterPage() {
  const gateway = useShownGateway()
  return gateway === undefined ? <PageHead title={names.routerTitle} /> : <AddRouter gateway={gateway} />
}

/** Makes a Router's manifest from a few fields; the Router's page edits the others. */
function AddRouter({ gateway }: { readonly gateway: GatewayName }) {
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<string>('openai')
  const api = APIS.find(({ id }) => id === chosen)
  const [name, setName] = useState('openai')
  const [namespace, setNamespace] = useState(gateway.namespace)
  const [ownPath, setOwnPath] = useState<string>()
  const [url, setUrl] = useState<string>(api?.url ?? '')
  const [apiKey, setApiKey] = useState<KeyPlace>({ secret: 'openai', key: 'key' })
  const [callerKey, setCallerKey] = useState<KeyPlace>(NO_KEY)
  const [isStored, setIsStored] = useState(true)
  const place = { kind: 'Router', namespace, name } as const
  const problem = useNameProblem(gateway, place)
  const path = ownPath ?? (namespace === gateway.namespace ? `/${name}/` : `/${namespace}/${name}/`)
  const header = api?.header
  const choose = (id: string): void => {
    const next = APIS.find((one) => one.id === id)
    setChosen(id)
    setUrl(next?.url ?? '')
    setName(id === 'other' ? 'my-router' : id)
    setApiKey(next?.header === undefined ? NO_KEY : { secret: id, key: 'key' })
  }
  const isOff = problem !== undefined || !isNamespace(namespace)
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (isOff) return
    const text = writeManifest(newRouter({ gateway, place, path, url, header, apiKey, callerKey }))
    const kept = beginDraft(gateway, place, text)
    setIsStored(kept)
    if (kept) await navigate({ to: '/routers/$namespace/$name', params: { namespace, name } })
  }
  const secret = apiKey.secret === '' || apiKey.key === '' || isOff ? undefined : apiKey
  return (
    <>
      <PageHead title={names.routerTitle} />
      <form className="card stack narrow" onSubmit={(event) => void add(event)}>
        <Choice label={texts.add.api} value={chosen} options={APIS} onChange={choose} />
        <NewResourceName place={place} problem={problem} onNamespace={setNamespace} onName={setName} />
        <TextInput label={texts.fields.path} hint={names.pathHint} mono value={path} onChange={setOwnPath} />
        <TextInput label={texts.fields.url} hint={names.urlHint} mono value={url} onChange={setUrl} />
        {header === undefined ? null : (
          <KeyFields legend={names.apiKey} hint={names.apiKeyHint} value={apiKey} onChange={setApiKey} />
        )}
        {secret === undefined || header === undefined ? null : (
          <div className="stack tight">
            <p className="soft">{names.makeSecret}</p>
            <CommandLine command={names.secretCommand(namespace, secret.secret, secret.key)} />
          </div>
        )}
        <KeyFields legend={names.callerKey} hint={names.callerKeyHint} value={callerKey} onChange={setCallerKey} />
        {isStored ? null : <Notice tone="bad" title={texts.manifest.draft.notKept} live />}
        <div className="buttons">
          <Button type="submit" look="primary" isDisabled={isOff}>
            {names.submit}
          </Button>
          <span className="soft">{names.draftOnly}</span>
        </div>
      </form>
    </>
  )
}

type KeyFieldsProps = {
  readonly legend: string
  readonly hint: string
  readonly value: KeyPlace
  readonly onChange: (value: KeyPlace) => void
}

function KeyFields({ legend, hint, value, onChange }: KeyFieldsProps) {
  return (
    <fieldset className="stack tight">
      <legend>{legend}</legend>
      <p className="soft">{hint}</p>
      <div className="two-fields">
        <TextInput
          label={names.secret}
          mono
          value={value.secret}
          onChange={(secret) => onChange({ ...value, secret })}
        />
        <TextInput label={names.secretKey} mono value={value.key} onChange={(key) => onChange({ ...value, key })} />
      </div>
    </fieldset>
  )
}
