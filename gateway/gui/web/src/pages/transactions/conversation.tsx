import type { Transaction } from '@llm-gateway/gui-api'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { recordQuery, sessionCallsQuery } from '../../api/queries.ts'
import { readRecord } from '../../record/call-record.ts'
import { ChatView } from '../../record/chat-view.tsx'
import { statusTone } from '../../record/status-tone.ts'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { conversationTurns, type Turn } from './conversation-turns.ts'

const names = texts.conversation

/** Shows the calls of a session as one chat, oldest first. Each call links to its record. */
export function Conversation({ session }: { readonly session: string }) {
  const { data, error, refetch } = useQuery(sessionCallsQuery(session))
  const calls = (data?.calls ?? []).toReversed()
  const records = useQueries({ queries: calls.map(({ id }) => recordQuery(id)) })
  const read = calls.flatMap((call, index) => {
    const record = records[index]?.data?.record
    return record === undefined ? [] : [{ call, record: readRecord(record) }]
  })
  return (
    <>
      {error === null ? null : <Failure error={error} retry={() => void refetch()} />}
      <div className="row between">
        <span className="soft number">
          {data === undefined ? texts.loading : names.calls(calls.length, session)}
          {data?.isCut === true ? ` ${names.earlier}` : ''}
        </span>
        <Button small onPress={() => void refetch()}>
          {names.again}
        </Button>
      </div>
      {data !== undefined && calls.length === 0 ? <p className="soft">{names.none}</p> : null}
      <section className="stack" aria-label={names.label}>
        {conversationTurns(read).map((turn) => (
          <OneCall key={turn.call.id} turn={turn} />
        ))}
      </section>
    </>
  )
}

function OneCall({ turn: { call, messages } }: { readonly turn: Turn }) {
  return (
    <article className="stack tight">
      <Heading call={call} />
      {messages.length === 0 ? <p className="soft">{names.noChat}</p> : <ChatView messages={messages} />}
    </article>
  )
}

function Heading({ call: { id, time, status, router, error_type: errorType } }: { readonly call: Transaction }) {
  return (
    <div className="row">
      <Badge tone={statusTone(status ?? undefined)}>{status ?? texts.record.noStatus}</Badge>
      <span className="mono">{router ?? '–'}</span>
      {errorType === null ? null : <Badge tone="bad">{errorType}</Badge>}
      <Link to="/transactions/$id" params={{ id }}>
        {names.record(time === null ? id : texts.clock(time))}
      </Link>
    </div>
  )
}
