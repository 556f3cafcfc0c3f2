import type { TryEvent, TryRequest } from '@llm-gateway/gui-api'
import { useRef, useState } from 'react'
import { events } from '../../api/events.ts'

export type TriedCall = {
  readonly number: number
  readonly running: boolean
  readonly status: number | undefined
  readonly headers: readonly (readonly [string, string])[]
  readonly transactionId: string | null
  readonly text: string
  readonly firstTextMs: number | undefined
  readonly endMs: number | undefined
  /** The reason for a missing or incomplete answer. */
  readonly failed: { readonly code: string; readonly message: string } | undefined
  readonly cut: boolean
}

const BEGIN = {
  running: true,
  status: undefined,
  headers: [],
  transactionId: null,
  text: '',
  firstTextMs: undefined,
  endMs: undefined,
  failed: undefined,
  cut: false,
} as const

export type Trying = {
  readonly call: TriedCall | undefined
  readonly error: Error | undefined
  send(request: TryRequest): Promise<void>
  stop(): void
}

/** Sends one call at a time and returns its answer as it grows. */
export function useTriedCall(): Trying {
  const [call, setCall] = useState<TriedCall>()
  const [error, setError] = useState<Error>()
  const controller = useRef<AbortController>(undefined)
  const count = useRef(0)
  const send = async (request: TryRequest): Promise<void> => {
    controller.current?.abort()
    const current = new AbortController()
    controller.current = current
    count.current += 1
    setError(undefined)
    setCall({ ...BEGIN, number: count.current })
    try {
      for await (const event of events('try', { body: request, signal: current.signal })) {
        setCall((before) => (before === undefined ? before : withEvent(before, event)))
      }
    } catch (thrown) {
      if (!current.signal.aborted) setError(thrown instanceof Error ? thrown : new Error(String(thrown)))
    } finally {
      if (controller.current === current)
        setCall((before) => (before === undefined ? before : { ...before, running: false }))
    }
  }
  return { call, error, send, stop: () => controller.current?.abort() }
}

function withEvent(call: TriedCall, event: TryEvent): TriedCall {
  switch (event.event) {
    case 'head':
      return {
        ...call,
        status: event.status,
        headers: Object.entries(event.headers),
        transactionId: event.transaction_id,
      }
    case 'text':
      return { ...call, text: call.text + event.text, firstTextMs: call.firstTextMs ?? event.at_ms }
    case 'end':
      return { ...call, running: false, endMs: event.at_ms, cut: event.cut }
    case 'failed':
      return { ...call, running: false, endMs: event.at_ms, failed: event }
  }
  return event satisfies never
}
