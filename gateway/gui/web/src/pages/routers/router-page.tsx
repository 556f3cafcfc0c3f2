import type { Edit, FieldPath, Router } from '@llm-gateway/gui-api'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs'
import { gatewayAddress } from '../../api/gateway-address.ts'
import { overviewQuery, routersQuery, schemaQuery } from '../../api/queries.ts'
import { RequestFailure } from '../../api/request.ts'
import { type EditedFile, useFile } from '../../api/use-file.ts'
import { EntryJson } from '../../editor/entry-json.tsx'
import { partOfSchema } from '../../editor/part-of-schema.ts'
import { membersOf, textOf, valueAt } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Question } from '../../ui/question.tsx'
import { RouterForm } from './router-form.tsx'
import { routerState } from './router-state.ts'
import { Snippets } from './snippets.tsx'
import { useRouterIndex } from './use-router-index.ts'

/** Shows a router: its form, its JSON and its use by callers. */
export function RouterPage() {
  const edited = useFile('gl_config.json')
  const { index, edit } = useRouterIndex(edited)
  const { editor, value, file, loadFailure, failure } = edited
  const navigate = useNavigate()
  const { data } = useQuery(routersQuery)
  const router = data?.routers.find((one) => one.index === index)
  const entry = valueAt(value, ['routers', index])
  const path = textOf(membersOf(entry).path) ?? ''
  if (loadFailure !== null) return <Failure error={loadFailure} />
  if (file === undefined) return <PageHead title={texts.nav.routers} />
  if (entry === undefined) return <MissingRouter />
  const remove = async (): Promise<void> => {
    editor.edit({ op: 'remove', path: ['routers', index] })
    await editor.flush()
    await navigate({ to: '/routers' })
  }
  return (
    <>
      <PageHead
        title={path === '' ? texts.routers.unnamed : path}
        note={router === undefined ? undefined : <States router={router} />}
      >
        <SaveState edited={edited} />
        <Link to="/try" search={{ router: path }} className="button">
          {texts.routers.try}
        </Link>
        <Question
          trigger={<Button look="quiet">{texts.routers.remove}</Button>}
          title={texts.routers.removeTitle(path)}
          confirm={{ label: texts.routers.remove, danger: true, onPress: () => void remove() }}
        >
          <p>{texts.routers.removeText}</p>
        </Question>
      </PageHead>
      {failure === undefined ? null : <SaveFailure edited={edited} />}
      <div className="edit-columns">
        <RouterForm key={index} entry={entry} path={['routers', index]} check={file.check} onEdit={edit} />
        <Tabs className="tabs">
          <TabList className="tab-list" aria-label={path}>
            <Tab id="use" className="tab">
              {texts.routers.use}
            </Tab>
            <Tab id="json" className="tab">
              {texts.routers.json}
            </Tab>
          </TabList>
          <TabPanel id="use" className="tab-panel">
            <UseTab path={path} endpoint={textOf(valueAt(entry, ['outbound', 'endpoint'])) ?? ''} index={index} />
          </TabPanel>
          <TabPanel id="json" className="tab-panel">
            <RouterJson entry={entry} path={['routers', index]} onEdit={edit} />
          </TabPanel>
        </Tabs>
      </div>
    </>
  )
}

/** Shows if a router is valid and if it is live. */
function States({ router }: { readonly router: Router }) {
  const { word, tone } = routerState(router)
  const isOnlyNew = router.deployed === 'new' && router.state === 'active'
  return (
    <span className="row">
      {isOnlyNew ? null : <Badge tone={tone}>{word}</Badge>}
      {router.deployed === 'new' || router.deployed === 'changed' ? (
        <Badge tone="accent">{texts.routers.notLive[router.deployed]}</Badge>
      ) : null}
    </span>
  )
}

function MissingRouter() {
  return (
    <>
      <PageHead title={texts.routers.gone} />
      <Link to="/routers">{texts.nav.routers}</Link>
    </>
  )
}

/** Shows the state of saving, with a fixed width so that the page doesn't move during typing. */
export function SaveState({ edited }: { readonly edited: EditedFile }) {
  return (
    <span className="soft save-state" role="status">
      {saveWord(edited)}
    </span>
  )
}

function saveWord({ pending, saving, failure, file }: EditedFile): string {
  if (failure !== undefined) return texts.save.failed
  if (saving || pending !== undefined) return texts.save.saving
  return file === undefined || file.draft === null ? '' : texts.save.saved
}

export function SaveFailure({ edited }: { readonly edited: EditedFile }) {
  const { failure, conflict, editor } = edited
  if (failure === undefined) return null
  if (conflict !== undefined) {
    return (
      <Notice tone="bad" title={failure.message} live>
        <Link to="/changes" search={{ file: 'gl_config.json' }}>
          {texts.conflict.open}
        </Link>
      </Notice>
    )
  }
  return (
    <Notice tone="bad" title={failure.message} live>
      <div className="stack tight">
        {fieldsOf(failure).map(({ path, message }) => (
          <p key={path.join('.')}>
            <span className="mono">{path.join('.')}</span> {message}
          </p>
        ))}
        <div className="buttons">
          <Button small onPress={() => void editor.flush()}>
            {texts.again}
          </Button>
          <Button small onPress={() => void editor.giveUp()}>
            {texts.save.giveUp}
          </Button>
        </div>
      </div>
    </Notice>
  )
}

function fieldsOf(failure: Error) {
  return failure instanceof RequestFailure ? (failure.failure?.fields ?? []) : []
}

type RouterJsonProps = {
  readonly entry: unknown
  readonly path: FieldPath
  readonly onEdit: (edit: Edit) => void
}

function RouterJson({ entry, path, onEdit }: RouterJsonProps) {
  const { data: schema } = useQuery(schemaQuery('gl_config.json'))
  const part = partOfSchema(schema, ['properties', 'routers', 'items'])
  return (
    <EntryJson
      label={texts.routers.json}
      value={entry}
      schema={part}
      onChange={(value) => onEdit({ op: 'set', path: [...path], value })}
    />
  )
}

function UseTab({
  path,
  endpoint,
  index,
}: {
  readonly path: string
  readonly endpoint: string
  readonly index: number
}) {
  const { data } = useQuery(routersQuery)
  const { data: overview, error } = useQuery(overviewQuery)
  const router = data?.routers.find((one) => one.index === index)
  if (error !== null && overview === undefined) return <Failure error={error} />
  if (overview === undefined) return <p className="soft">{texts.loading}</p>
  return (
    <Snippets base={gatewayAddress(overview)} path={path} endpoint={endpoint} headers={router?.caller_headers ?? []} />
  )
}
