import { texts } from '../texts.ts'
import type { Span } from './call-record.ts'

/** Shows the spans of a call on one axis of milliseconds. */
export function TimelineView({ spans }: { readonly spans: readonly Span[] }) {
  const end = Math.max(1, ...spans.map(({ start, duration }) => start + duration))
  if (spans.length === 0) return <p className="soft">{texts.record.noTimes}</p>
  return (
    <div className="timeline">
      {spans.map((span, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a record's spans never move
        <TimelineRow key={index} span={span} end={end} />
      ))}
    </div>
  )
}

function TimelineRow({ span, end }: { readonly span: Span; readonly end: number }) {
  const { name, kind, start, duration, isAsync, failed } = span
  const looks = ['bar', kind === 'processor' && 'processor', isAsync && 'later']
  const left = Math.min(99, Math.max(0, (start / end) * 100))
  const style = { left: `${left}%`, width: `${Math.min(100 - left, (duration / end) * 100)}%` }
  return (
    <>
      <span className="name">
        {kind === 'call' ? texts.record.timers[name] : name}
        {isAsync ? <span className="soft"> {texts.record.afterAnswer}</span> : null}
        {failed ? <span className="soft"> {texts.record.noReply}</span> : null}
      </span>
      <span className="lane">
        <span className={looks.filter(Boolean).join(' ')} style={style} />
      </span>
      <span className="took number">{texts.milliseconds(duration)}</span>
    </>
  )
}
