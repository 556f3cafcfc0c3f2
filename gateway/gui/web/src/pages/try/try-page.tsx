import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { gatewayAddress } from '../../api/gateway-address.ts'
import { overviewQuery, routersQuery } from '../../api/queries.ts'
import { isObject, parseJson, pretty } from '../../json-value.ts'
import { texts } from '../../texts.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Failure } from '../../ui/failure.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { Toggle } from '../../ui/toggle.tsx'
import { TriedAnswer } from './tried-answer.tsx'
import { useTriedCall } from './tried-call.ts'
import { TriedRecord } from './tried-record.tsx'

const CHAT = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello, who are you?' }] }
const ECHO = '/echo/'
const CHAT_PATH = 'v1/chat/completions'
const names = texts.try

/** Sends a request to a router and shows the answer as it arrives, and the record. */
export function TryPage() {
  const { router: asked } = useSearch({ from: '/try' })
  const { data, error: failure } = useQuery(routersQuery)
  const { data: overview } = useQuery(overviewQuery)
  const [chosen, setChosen] = useState<string>()
  const [rest, setRest] = useState<string>()
  const [body, setBody] = useState(pretty(CHAT))
  const [headers, setHeaders] = useState('')
  const [withCaller, setWithCaller] = useState(true)
  const { call, error, send, stop } = useTriedCall()
  const answer = useRef<HTMLDivElement>(null)
  const { number, running } = call ?? {}
  // Repeated at the end of the call: only then is the page long enough to scroll the answer to the top.
  useEffect(() => {
    if (number !== undefined && running !== undefined) showFromTop(answer.current)
  }, [number, running])
  const usable = (data?.routers ?? []).filter(({ state }) => state === 'active')
  const paths = usable.map(({ path }) => path)
  const router = chosen ?? asked ?? paths.find((path) => path !== ECHO) ?? ECHO
  const known = data?.routers.find(({ path }) => path === router)
  const usual = router === ECHO || (known?.endpoint ?? '') !== '' ? '' : CHAT_PATH
  const options = [...new Set([...paths, router])].map((path) => ({ id: path, name: path }))
  const parsed = parseJson(body)
  const streams = 'value' in parsed && isObject(parsed.value) && parsed.value.stream === true
  const setStream = (on: boolean): void => {
    if (!('value' in parsed) || !isObject(parsed.value)) return
    const { stream: _, ...others } = parsed.value
    setBody(pretty(on ? { ...others, stream: true } : others))
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void send({ router, rest: rest ?? usual, body, headers: headersOf(headers), caller_headers: withCaller })
  }
  const waiting = known?.deployed === 'new' || known?.deployed === 'changed'
  const reason = known?.state === 'rejected' ? known.fields[0]?.message : waiting ? names.notLive : undefined
  return (
    <>
      <PageHead title={names.title} />
      {failure === null ? null : <Failure error={failure} />}
      <div className="edit-columns even">
        <form className="card stack" onSubmit={submit}>
          <Choice label={names.router} value={router} options={options} onChange={setChosen} />
          {reason === undefined ? null : <p className="reason required">{reason}</p>}
          <TextInput label={names.rest} hint={names.restHint} mono value={rest ?? usual} onChange={setRest} />
          <TextInput
            label={names.body}
            mono
            lines={9}
            value={body}
            onChange={setBody}
            verdict={'problem' in parsed ? { state: 'invalid', reason: names.bodyProblem(parsed.problem) } : undefined}
          />
          <details>
            <summary>{names.more}</summary>
            <TextInput
              label={names.headers}
              hint={names.headersHint}
              mono
              lines={3}
              value={headers}
              onChange={setHeaders}
            />
          </details>
          <div className="row">
            <Toggle isSelected={streams} onChange={setStream}>
              {names.stream}
            </Toggle>
            <Toggle isSelected={withCaller} onChange={setWithCaller}>
              {names.callerHeaders}
            </Toggle>
          </div>
          <div className="buttons">
            <Button type="submit" look="primary" isDisabled={call?.running === true}>
              {names.send}
            </Button>
            <Button isDisabled={call?.running !== true} onPress={stop}>
              {names.stop}
            </Button>
          </div>
        </form>
        <div className="stack answer-place" ref={answer}>
          {error === undefined ? null : <Failure error={error} />}
          <TriedAnswer call={call} />
        </div>
      </div>
      {call === undefined || call.running ? null : (
        <TriedRecord key={call.number} transactionId={call.transactionId} gateway={gatewayAddress(overview)} />
      )}
    </>
  )
}

/** Scrolls to the answer: on a phone it lies below the button and out of sight. */
function showFromTop(place: HTMLElement | null): void {
  if (place !== null && place.getBoundingClientRect().top > innerHeight / 2) place.scrollIntoView()
}

/** Parses headers, one `Name: value` a line. */
function headersOf(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.split(/:(.*)/s))
  return Object.fromEntries(
    lines.flatMap(([name = '', value = '']) => (name.trim() === '' ? [] : [[name.trim(), value.trim()]])),
  )
}
