import type { Configuration } from '@llm-gateway/gui-api'
import { useQuery } from '@tanstack/react-query'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs'
import { configurationQuery, resourceQuery, useShownGateway } from '../../api/resource-queries.ts'
import { TextEditor } from '../../editor/text-editor.tsx'
import { texts } from '../../texts.ts'
import { Failure } from '../../ui/failure.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import type { GatewayName } from './drafts.ts'
import { ManifestEditor } from './manifest-editor.tsx'
import { PodsTable } from './pods-table.tsx'
import { ReadyBadge } from './ready-badge.tsx'
import { StatusCards } from './status-cards.tsx'

const names = texts.gatewayPage

export function GatewayPage() {
  const gateway = useShownGateway()
  return gateway === undefined ? <PageHead title={texts.nav.gateway} /> : <ShownGateway gateway={gateway} />
}

/** Shows the LLMGateway: its state, its pods, their file and its manifest. */
function ShownGateway({ gateway }: { readonly gateway: GatewayName }) {
  const place = { kind: 'LLMGateway', namespace: gateway.namespace, name: gateway.gateway } as const
  const { data, error, refetch } = useQuery(resourceQuery(place))
  const stored = data ?? undefined
  const { data: configuration, error: unread } = useQuery(configurationQuery)
  return (
    <>
      <PageHead
        title={gateway.gateway}
        note={
          <>
            {stored === undefined ? null : <ReadyBadge ready={stored.ready} reason={stored.reason} />}{' '}
            {texts.resource.in('LLMGateway', gateway.namespace)}
          </>
        }
      />
      {error === null ? null : <Failure error={error} retry={() => void refetch()} />}
      {data === null ? <Notice tone="bad" title={texts.resource.gone('LLMGateway')} /> : null}
      {stored === undefined ? null : <StatusCards resource={stored} />}
      {unread === null ? null : <Failure error={unread} />}
      {configuration === undefined ? null : <PodsTable configuration={configuration} />}
      <Tabs className="tabs">
        <TabList className="tab-list" aria-label={names.tabs}>
          <Tab id="file" className="tab">
            {names.file}
          </Tab>
          <Tab id="manifest" className="tab">
            {names.manifest}
          </Tab>
        </TabList>
        <TabPanel id="file" className="tab-panel">
          {configuration === undefined ? null : <EffectiveFile configuration={configuration} />}
        </TabPanel>
        <TabPanel id="manifest" className="tab-panel stack">
          {stored === undefined ? null : <ManifestEditor gateway={gateway} place={place} stored={stored} />}
        </TabPanel>
      </Tabs>
    </>
  )
}

function EffectiveFile({ configuration: { text, why } }: { readonly configuration: Configuration }) {
  if (text === null)
    return (
      <Notice tone="warn" title={names.noFile}>
        {why === null ? null : <p>{why}</p>}
      </Notice>
    )
  return (
    <div className="stack tight">
      <p className="soft">{names.fileAbout}</p>
      <TextEditor label={names.file} text={text} />
    </div>
  )
}
