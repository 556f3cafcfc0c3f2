import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useFile } from '../../api/use-file.ts'
import { elementsOf, textOf, valueAt } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Failure } from '../../ui/failure.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { PRESETS } from './presets.ts'

type PresetId = (typeof PRESETS)[number]['id']

/** Makes a router from four fields; the router's page edits the others. */
export function AddRouterPage() {
  const { editor, file, value, failure } = useFile('gl_config.json')
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<PresetId>('base')
  const preset = PRESETS.find(({ id }) => id === chosen) ?? PRESETS[0]
  const [path, setPath] = useState<string>(preset.path)
  const [url, setUrl] = useState<string>(preset.url)
  const [callerKey, setCallerKey] = useState('')
  const entries = elementsOf(valueAt(value, ['routers']))
  const taken = entries.some((entry) => textOf(valueAt(entry, ['path'])) === path)
  const problem = taken ? texts.add.taken : pathProblem(path)

  const choose = (id: PresetId): void => {
    const next = PRESETS.find((one) => one.id === id) ?? PRESETS[0]
    setChosen(id)
    setPath(next.path)
    setUrl(next.url)
  }
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (problem !== undefined || file === undefined) return
    const entry = newEntry({ path, url, header: preset.header, callerKey })
    editor.edit(
      valueAt(value, ['routers']) === undefined
        ? { op: 'set', path: ['routers'], value: [entry] }
        : { op: 'insert', path: ['routers', entries.length], value: entry },
    )
    await editor.flush()
    if (editor.state().failure === undefined) await navigate({ to: '/routers/edit', search: { path } })
  }
  return (
    <>
      <PageHead title={texts.add.title} />
      <form className="card stack narrow" onSubmit={(event) => void add(event)}>
        <Choice label={texts.add.api} value={chosen} options={PRESETS} onChange={choose} />
        <TextInput
          label={texts.fields.path}
          hint={texts.add.pathHint}
          mono
          value={path}
          onChange={setPath}
          verdict={problem === undefined ? undefined : { state: 'invalid', reason: problem }}
        />
        <TextInput label={texts.fields.url} hint={texts.add.urlHint} mono value={url} onChange={setUrl} />
        <TextInput
          label={texts.add.callerKey}
          hint={texts.add.callerKeyHint}
          mono
          value={callerKey}
          onChange={setCallerKey}
          placeholder="GATEWAY_API_KEY"
        />
        {failure === undefined ? null : <Failure error={failure} />}
        <div className="buttons">
          <Button type="submit" look="primary" isDisabled={problem !== undefined || file === undefined}>
            {texts.add.submit}
          </Button>
          <span className="soft">{texts.add.draftOnly}</span>
        </div>
      </form>
    </>
  )
}

function pathProblem(path: string): string | undefined {
  return /^\/([\w\-.~]+\/)*$/.test(path) ? undefined : texts.add.pathProblem
}

type NewRouterValues = {
  readonly path: string
  readonly url: string
  readonly header: readonly [string, string] | undefined
  /** The variable with the callers' key; empty if callers send none. */
  readonly callerKey: string
}

function newEntry({ path, url, header, callerKey }: NewRouterValues): object {
  const variable = callerKey.trim().replace(/^\$\{(.*)\}$/, '$1')
  const type = { 'Content-Type': ['application/json'] }
  return {
    path,
    ingress: { headers: variable === '' ? type : { ...type, 'Api-Key': [`\${${variable}}`] } },
    outbound: { url, endpoint: '', headers: header === undefined ? type : { ...type, [header[0]]: [header[1]] } },
  }
}
