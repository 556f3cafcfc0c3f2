import { pretty } from '../json-value.ts'
import { texts } from '../texts.ts'
import type { Hop } from './call-record.ts'

/** A longer payload is shown by its beginning; the raw record has all of it. */
const SHOWN_CHARACTERS = 20_000

/** Shows the four hops of a call side by side and marks headers that differ from the hop before. */
export function HopsView({ hops }: { readonly hops: readonly Hop[] }) {
  return (
    <div className="hops">
      {hops.map((hop, index) => (
        <HopColumn key={hop.name} hop={hop} before={isSameSide(hop) ? hops[index - 1] : undefined} />
      ))}
    </div>
  )
}

/** Returns whether a hop continues the hop before: headers of an answer are not compared with the request's. */
function isSameSide({ name }: Hop): boolean {
  return name === 'outbound' || name === 'egress'
}

function HopColumn({ hop, before }: { readonly hop: Hop; readonly before: Hop | undefined }) {
  const { name, line, headers, payload, reached } = hop
  return (
    <section className={reached ? 'hop' : 'hop unreached'}>
      <h3>{texts.record.hops[name].title}</h3>
      <p className="soft">{texts.record.hops[name].route}</p>
      {reached ? null : <p className="soft">{texts.record.hops[name].unreached}</p>}
      {line === undefined ? null : <p className="line">{line}</p>}
      <Headers headers={headers} before={before?.headers} />
      {payload === undefined ? null : (
        <>
          <span className="soft">{samePayload(hop, before) ? texts.record.samePayload : texts.record.payload}</span>
          <pre className="payload">{shortened(pretty(payload))}</pre>
        </>
      )}
    </section>
  )
}

type HeaderMap = ReadonlyMap<string, readonly string[]>

function Headers({ headers, before }: { readonly headers: HeaderMap; readonly before: HeaderMap | undefined }) {
  if (headers.size === 0) return null
  return (
    <dl className="headers">
      {[...headers].map(([name, values]) => {
        const text = values.join(', ')
        const changed = before !== undefined && before.get(name)?.join(', ') !== text
        return (
          <div key={name} className={changed ? 'changed' : ''}>
            <dt>
              {name}
              {changed ? <span className="visually-hidden"> {texts.record.changedHeader}</span> : null}
            </dt>
            <dd>{text}</dd>
          </div>
        )
      })}
    </dl>
  )
}

function samePayload(hop: Hop, before: Hop | undefined): boolean {
  return before !== undefined && JSON.stringify(hop.payload) === JSON.stringify(before.payload)
}

function shortened(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}\n${texts.record.cut}` : text
}
