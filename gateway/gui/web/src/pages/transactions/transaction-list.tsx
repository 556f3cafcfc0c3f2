import type { Transaction } from '@llm-gateway/gui-api'
import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { statusTone } from '../../record/status-tone.ts'
import { texts } from '../../texts.ts'
import { Badge } from '../../ui/badge.tsx'

export type TransactionListProps = {
  /** Newest first. */
  readonly transactions: readonly Transaction[]
  readonly label: string
  /** Shown while there are no transactions. */
  readonly children?: ReactNode
}

const WIDE = '(min-width: 821px)'
const OVERSCAN = 8

/** Lists thousands of calls; only the visible lines are in the DOM. */
export function TransactionList({ transactions, label, children }: TransactionListProps) {
  const place = useRef<HTMLElement>(null)
  const height = useLineHeight()
  const virtualizer = useVirtualizer({
    count: transactions.length,
    getScrollElement: () => place.current,
    estimateSize: () => height,
    getItemKey: (index) => transactions[index]?.id ?? index,
    overscan: OVERSCAN,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines of another height must be measured again
  useEffect(() => virtualizer.measure(), [virtualizer, height])
  useStayInPlace(place, transactions, height)
  return (
    <div className="log">
      <Head />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section className="log-rows" ref={place} aria-label={label} tabIndex={0}>
        {transactions.length === 0 ? children : null}
        <ul className="log-lines" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ key, index, start }) => {
            const transaction = transactions[index]
            return transaction === undefined ? null : <Line key={String(key)} transaction={transaction} top={start} />
          })}
        </ul>
      </section>
    </div>
  )
}

function useLineHeight(): number {
  const [wide, setWide] = useState(() => matchMedia(WIDE).matches)
  useEffect(() => {
    const query = matchMedia(WIDE)
    const change = (): void => setWide(query.matches)
    query.addEventListener('change', change)
    return () => query.removeEventListener('change', change)
  }, [])
  return wide ? 36 : 44
}

/** Keeps a scrolled list in place while new lines are added above. */
function useStayInPlace(
  place: { readonly current: HTMLElement | null },
  transactions: readonly Transaction[],
  height: number,
): void {
  const first = useRef(transactions[0]?.id)
  useEffect(() => {
    const added = transactions.findIndex(({ id }) => id === first.current)
    first.current = transactions[0]?.id
    const element = place.current
    if (element !== null && element.scrollTop > 0 && added > 0) element.scrollTop += added * height
  }, [place, transactions, height])
}

function Head() {
  const names = texts.transactions.columns
  return (
    <div className="log-line log-head" aria-hidden="true">
      <span>{names.time}</span>
      <span>{names.status}</span>
      <span>{names.router}</span>
      <span className="wide">{names.model}</span>
      <span className="end">{names.duration}</span>
      <span className="end wide">{names.firstByte}</span>
      <span className="end wide">{names.tokens}</span>
    </div>
  )
}

function Line({ transaction, top }: { readonly transaction: Transaction; readonly top: number }) {
  const { id, time, status, router, original_router: original, model, duration_ms: duration } = transaction
  const { first_byte_ms: firstByte, input_tokens: input, output_tokens: output, error_type: errorType } = transaction
  const tokens = input === null && output === null ? '–' : `${input ?? '–'} / ${output ?? '–'}`
  const shownRouter = original !== null && original !== router ? `${original} → ${router}` : (router ?? '–')
  return (
    <li style={{ transform: `translateY(${top}px)` }}>
      <Link to="/transactions/$id" params={{ id }} className="log-line">
        <span className="number soft">{time === null ? '–' : texts.clock(time)}</span>
        <span>
          <Badge tone={statusTone(status ?? undefined)}>{status ?? '–'}</Badge>
        </span>
        <span className="mono">{shownRouter}</span>
        <span className="wide soft">{errorType ?? model ?? '–'}</span>
        <span className="end number">{duration === null ? '–' : texts.milliseconds(duration)}</span>
        <span className="end number wide soft">{firstByte === null ? '–' : texts.milliseconds(firstByte)}</span>
        <span className="end number wide soft">{tokens}</span>
      </Link>
    </li>
  )
}
