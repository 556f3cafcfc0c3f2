import { useMemo, useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs'
import { TextDiff, TextEditor } from '../editor/text-editor.tsx'
import { pretty } from '../json-value.ts'
import { texts } from '../texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Choice } from '../ui/choice.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Notice } from '../ui/notice.tsx'
import { type CallRecord, type HopName, readRecord } from './call-record.ts'
import { answerMessages, requestMessages } from './chat-messages.ts'
import { ChatView } from './chat-view.tsx'
import { curlCommand } from './curl-command.ts'
import { HopsView } from './hops-view.tsx'
import { statusTone } from './status-tone.ts'
import { TimelineView } from './timeline-view.tsx'

export type RecordViewProps = {
  /** The record as it is on the bus. */
  readonly record: unknown
  /** The gateway's address, for the curl command. */
  readonly gateway: string
}

/** Shows one call. */
export function RecordView({ record, gateway }: RecordViewProps) {
  const call = useMemo(() => readRecord(record), [record])
  const messages = useMemo(() => {
    const payload = (name: HopName) => call.hops.find((hop) => hop.name === name)?.payload
    return [...requestMessages(payload('ingress')), ...answerMessages(payload('egress'))]
  }, [call])
  const names = texts.record.tabs
  return (
    <div className="stack">
      <Facts call={call} />
      {call.errors.length === 0 ? null : <Errors call={call} />}
      <div className="buttons">
        <CopyButton label={texts.record.copyCurl} text={() => curlCommand(call, gateway)} />
        <CopyButton label={texts.record.copyJson} text={() => pretty(record)} />
      </div>
      <Tabs className="tabs" defaultSelectedKey={messages.length > 0 ? 'chat' : 'hops'}>
        <TabList className="tab-list" aria-label={texts.record.title}>
          <Tab id="chat" className="tab">
            {names.chat}
          </Tab>
          <Tab id="hops" className="tab">
            {names.hops}
          </Tab>
          <Tab id="diff" className="tab">
            {names.diff}
          </Tab>
          <Tab id="timeline" className="tab">
            {names.timeline}
          </Tab>
          <Tab id="raw" className="tab">
            {names.raw}
          </Tab>
        </TabList>
        <TabPanel id="chat" className="tab-panel">
          {messages.length > 0 ? <ChatView messages={messages} /> : <p className="soft">{texts.record.noChat}</p>}
        </TabPanel>
        <TabPanel id="hops" className="tab-panel">
          <HopsView hops={call.hops} />
        </TabPanel>
        <TabPanel id="diff" className="tab-panel">
          <PayloadDiff call={call} />
        </TabPanel>
        <TabPanel id="timeline" className="tab-panel stack">
          <TimelineView spans={call.spans} />
          <Added call={call} />
        </TabPanel>
        <TabPanel id="raw" className="tab-panel">
          <TextEditor label={names.raw} text={pretty(record)} />
        </TabPanel>
      </Tabs>
    </div>
  )
}

function Facts({ call }: { readonly call: CallRecord }) {
  const { facts } = texts.record
  const tokens = call.usage.map(({ name, count }) => `${count} ${texts.record.tokens[name] ?? name}`).join(' · ')
  const shown: readonly (readonly [string, string | undefined])[] = [
    [facts.time, call.time === '' ? undefined : texts.dateTime(call.time)],
    [facts.duration, call.durationMs === undefined ? undefined : texts.milliseconds(call.durationMs)],
    [facts.upstream, call.upstreamMs === undefined ? undefined : texts.milliseconds(call.upstreamMs)],
    [facts.firstByte, call.firstByteMs === undefined ? undefined : texts.milliseconds(call.firstByteMs)],
    [facts.tokens, tokens === '' ? undefined : tokens],
    [facts.answeredBy, call.answeredBy === call.path ? undefined : call.answeredBy],
    [facts.session, call.sessionId],
    [facts.transaction, call.transactionId === call.sessionId ? undefined : call.transactionId],
  ]
  return (
    <div className="stack tight">
      <div className="row">
        <Badge tone={statusTone(call.status)}>{call.status ?? texts.record.noStatus}</Badge>
        <strong className="mono">
          {call.method} {call.path}
          {call.subpath}
        </strong>
        {call.streamed ? <Badge>{texts.record.streamed}</Badge> : null}
        {call.errorType === undefined ? null : <Badge tone="bad">{call.errorType}</Badge>}
      </div>
      <dl className="facts">
        {shown.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="number">{value}</dd>
            </div>
          ),
        )}
      </dl>
    </div>
  )
}

function Errors({ call }: { readonly call: CallRecord }) {
  return (
    <Notice tone="bad" title={texts.record.whatFailed}>
      <ul>
        {call.errors.map(({ name, details }) => (
          <li key={`${name} ${details}`}>
            <span className="mono">{name}</span>: {details} {texts.codes[details] ?? ''}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

type Pair = 'request' | 'response'
const PAIRS: Readonly<Record<Pair, readonly [HopName, HopName]>> = {
  request: ['ingress', 'outbound'],
  response: ['inbound', 'egress'],
}

function PayloadDiff({ call }: { readonly call: CallRecord }) {
  const [pair, setPair] = useState<Pair>('request')
  const [before, after] = PAIRS[pair]
  const side = (name: HopName) => ({
    label: texts.record.hops[name].title,
    text: pretty(call.hops.find((hop) => hop.name === name)?.payload ?? null),
  })
  const options = [
    { id: 'request', name: texts.record.pairs.request },
    { id: 'response', name: texts.record.pairs.response },
  ] as const
  const [one, other] = [side(before), side(after)]
  return (
    <div className="stack">
      <Choice label={texts.record.compare} value={pair} options={options} onChange={setPair} />
      {one.text === other.text ? (
        <p className="soft">{texts.record.noDifference}</p>
      ) : (
        <TextDiff key={pair} before={one} after={other} />
      )}
    </div>
  )
}

function Added({ call }: { readonly call: CallRecord }) {
  if (call.added.length === 0) return null
  return (
    <section className="stack tight">
      <h3>{texts.record.added}</h3>
      {call.added.map(({ name, value }) => (
        <div key={name}>
          <span className="mono">{name}</span>
          <pre className="payload">{pretty(value)}</pre>
        </div>
      ))}
    </section>
  )
}
