import { useMemo } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs'
import { parseJson, pretty } from '../../json-value.ts'
import { statusTone } from '../../record/status-tone.ts'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Notice } from '../../ui/notice.tsx'
import { answerText } from './answer-text.ts'
import type { TriedCall } from './tried-call.ts'

const names = texts.try

/** Shows the answer as it arrives: its text and its bytes. */
export function TriedAnswer({ call }: { readonly call: TriedCall | undefined }) {
  const answeredText = useMemo(() => (call === undefined ? undefined : answerText(call.text)), [call])
  if (call === undefined) {
    return (
      <div className="empty">
        <h2>{names.before.title}</h2>
        <p>{names.before.text}</p>
      </div>
    )
  }
  const { status, running, failed, text, headers, firstTextMs, endMs, cut } = call
  return (
    <>
      <div className="row answer-head" role="status">
        <Badge tone={running ? 'accent' : failed === undefined ? statusTone(status) : 'bad'}>
          {status ?? (running ? names.waiting : names.noAnswer)}
        </Badge>
        <span className="soft number">
          {firstTextMs === undefined ? '' : names.firstText(texts.milliseconds(firstTextMs))}
          {endMs === undefined ? '' : `${names.whole(texts.milliseconds(endMs))}`}
        </span>
      </div>
      {failed === undefined ? null : (
        <Notice tone="bad" title={failed.message}>
          {texts.codes[failed.code]}
        </Notice>
      )}
      <Tabs className="tabs">
        <TabList className="tab-list" aria-label={names.answer}>
          <Tab id="text" className="tab">
            {names.answerText}
          </Tab>
          <Tab id="body" className="tab">
            {names.answerBody}
          </Tab>
          <Tab id="headers" className="tab">
            {names.answerHeaders}
          </Tab>
        </TabList>
        <TabPanel id="text" className="tab-panel">
          {answeredText === undefined ? (
            <pre className="answer">{shown(text)}</pre>
          ) : (
            <div className="answer">{answeredText}</div>
          )}
        </TabPanel>
        <TabPanel id="body" className="tab-panel">
          <pre className="answer">{shown(text)}</pre>
          {cut ? <p className="soft">{names.cut}</p> : null}
        </TabPanel>
        <TabPanel id="headers" className="tab-panel">
          <pre className="answer">{headers.map(([name, value]) => `${name}: ${value}`).join('\n')}</pre>
        </TabPanel>
      </Tabs>
    </>
  )
}

function shown(text: string): string {
  const parsed = parseJson(text)
  return 'value' in parsed ? pretty(parsed.value) : text
}
