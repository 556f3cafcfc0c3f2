import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { EventWriter } from './answer.ts'
import { leftSignal } from './left-signal.ts'

type WriteEvents = (writer: EventWriter<unknown>, signal: AbortSignal) => Promise<void>

const HEARTBEAT_MS = 15_000
/** Bytes that may wait for a slow page, beside the kernel's buffers. */
const MOST_WAITING_BYTES = 256 * 1024

/** Sends server-sent events until `writeEvents` is done, the page has gone, or its session has `ended`. */
export async function sendEvents(
  response: ServerResponse,
  writeEvents: WriteEvents,
  ended: AbortSignal,
): Promise<void> {
  const gone = leftSignal(response)
  const signal = AbortSignal.any([gone, ended])
  response.write(': events\n\n')
  const heartbeat = setInterval(() => {
    if (response.writableLength < MOST_WAITING_BYTES) response.write(': still here\n\n')
  }, HEARTBEAT_MS)
  try {
    await writeEvents(writerTo(response, signal), signal)
    if (ended.aborted && !gone.aborted) response.write(eventText({ event: 'logged_out' }))
  } finally {
    clearInterval(heartbeat)
    response.end()
  }
}

function writerTo(response: ServerResponse, signal: AbortSignal): EventWriter<unknown> {
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

/** Formats an event. Its name is also the SSE event name, for pages that listen by name. */
function eventText(event: unknown): string {
  const name = typeof event === 'object' && event !== null && 'event' in event ? String(event.event) : 'message'
  return `event: ${name}\ndata: ${JSON.stringify(event)}\n\n`
}
