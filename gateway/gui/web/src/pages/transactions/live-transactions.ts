import type { Transaction, TransactionFilter } from '@llm-gateway/gui-api'
import { useEffect, useState } from 'react'
import { events } from '../../api/events.ts'
import { RequestFailure } from '../../api/request.ts'

/** Bound of the live list; the history has the others. */
const MOST = 2_000
const AGAIN_MS = 2_000

export type LiveTransactions = {
  /** Newest first. */
  readonly transactions: readonly Transaction[]
  /** Number of matching calls that came faster than the page can show. */
  readonly skipped: number
  readonly connected: boolean
  readonly failure: Error | undefined
}

const NONE: LiveTransactions = { transactions: [], skipped: 0, connected: false, failure: undefined }

/** Returns transactions as they end. While it is paused, the list stays and nothing is requested. */
export function useLiveTransactions(filter: TransactionFilter, isPaused: boolean): LiveTransactions {
  const [live, setLive] = useState(NONE)
  const wanted = JSON.stringify(filter)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed filter empties the list
  useEffect(() => setLive(NONE), [wanted])
  useEffect(() => {
    if (isPaused) return
    const controller = new AbortController()
    void follow(JSON.parse(wanted), controller.signal, setLive)
    return () => controller.abort()
  }, [wanted, isPaused])
  return live
}

type Update = (change: (before: LiveTransactions) => LiveTransactions) => void

async function follow(filter: TransactionFilter, signal: AbortSignal, update: Update): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of events('live', { query: filter, signal })) {
        if (event.event === 'logged_out') return location.reload()
        // The first event of each stream; after it no call is missed.
        if (event.event === 'bus') update((before) => ({ ...before, connected: event.connected, failure: undefined }))
        else update((before) => withNew(before, event.transactions, event.skipped))
      }
    } catch (error) {
      if (signal.aborted) return
      const failure = error instanceof RequestFailure ? error : undefined
      update((before) => ({ ...before, connected: false, failure }))
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
}

function withNew(before: LiveTransactions, added: readonly Transaction[], skipped: number): LiveTransactions {
  const known = new Set(before.transactions.slice(0, added.length).map(({ id }) => id))
  const fresh = added.filter(({ id }) => !known.has(id)).toReversed()
  return {
    ...before,
    transactions: [...fresh, ...before.transactions].slice(0, MOST),
    skipped: before.skipped + skipped,
  }
}
