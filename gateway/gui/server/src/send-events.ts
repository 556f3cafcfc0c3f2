import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { EventSink } from './answer.ts'

type Run = (sink: EventSink<unknown>, signal: AbortSignal) => Promise<void>

const HEARTBEAT_MS = 15_000
/** What waits for a page that doesn't read, beside the kernel's buffers. */
const MOST_WAITING_BYTES = 256 * 1024

/** Writes server-sent events until the run is done, the page has gone, or `ended` tells that it may look no longer. */
export async function sendEvents(response: ServerResponse, run: Run, ended: AbortSignal): Promise<void> {
  const gone = new AbortController()
  // Where the page went before this began, no event tells it.
  if (response.destroyed) gone.abort()
  response.on('close', () => gone.abort())
  const signal = AbortSignal.any([gone.signal, ended])
  response.write(': events\n\n')
  const heartbeat = setInterval(() => {
    if (response.writableLength < MOST_WAITING_BYTES) response.write(': still here\n\n')
  }, HEARTBEAT_MS)
  try {
    await run(sinkOf(response, signal), signal)
    if (ended.aborted && !gone.signal.aborted) response.write(eventText({ event: 'logged_out' }))
  } finally {
    clearInterval(heartbeat)
    response.end()
  }
}

function sinkOf(response: ServerResponse, signal: AbortSignal): EventSink<unknown> {
  return {
    send(event) {
      if (signal.aborted) return false
      response.write(eventText(event))
      return response.writableLength < MOST_WAITING_BYTES
    },
    async drained() {
      if (signal.aborted || !response.writableNeedDrain) return
      await once(response, 'drain', { signal }).catch(() => undefined)
    },
  }
}

/** The event's own name is sent too, for pages that listen by it. */
function eventText(event: unknown): string {
  const name = typeof event === 'object' && event !== null && 'event' in event ? String(event.event) : 'message'
  return `event: ${name}\ndata: ${JSON.stringify(event)}\n\n`
}
