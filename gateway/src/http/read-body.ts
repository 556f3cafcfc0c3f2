import type { IncomingMessage } from 'node:http'
import type { ErrorCode } from '../errors.ts'
import type { JsonScan } from '../json/chunk-scan.ts'
import type { JsonEngine } from '../json/json-scan.ts'
import type { Scanned } from '../json/scanned.ts'
import { GrowingBytes } from '../memory/growing-bytes.ts'
import type { Holding } from '../memory/memory-account.ts'
import type { TurnBudget } from '../work/turn-budget.ts'
import { MANY_PIECES } from './read-turns.ts'

export type BodyRead =
  | { readonly kind: 'read'; readonly bytes: Buffer; readonly scanned: Scanned }
  | BodyRefusal
  | { readonly kind: 'caller gone' }

/** `message` replaces the code's own. */
export type BodyRefusal = {
  readonly kind: 'refused'
  readonly code: Extract<
    ErrorCode,
    'BAD_PATH' | 'BODY_TOO_LARGE' | 'HEADERS_TOO_LARGE' | 'OVERLOADED' | 'REQUEST_TIMEOUT'
  >
  readonly message?: string
}

/** Why the reading of a body ends before all of it came. */
export type EarlyEnd = Exclude<BodyRead, { readonly kind: 'read' }>

/**
 * Ends the reading of a body whose connection broke below the request level, so that the transaction answers; false where
 * all of the body had come: then it isn't this transaction's.
 */
export type EndBody = (ending: EarlyEnd) => boolean

/** The connection that a body comes from, as far as its reading needs it. */
export type BodyConnection = {
  openBody(end: EndBody): void
  closeBody(end: EndBody): void
  /** Nothing is read from it in this turn. */
  readonly isPaused: boolean
  /** Told of each MANY_PIECES of a body. */
  notePieces(): void
}

export type BodyLimits = {
  readonly requestBytes: number
  readonly requestIdleTimeoutMs: number
  readonly requestBodyTimeoutMs: number
  readonly jsonDepth: number
}

/** Where a body goes: it is counted in `holding` and judged as it arrives. */
export type BodyReading = {
  readonly limits: BodyLimits
  readonly holding: Holding
  readonly json: JsonEngine
  /** The share of a turn that bodies may take. */
  readonly turn: TurnBudget
}

/**
 * Judges by the headers alone: a declared length over a limit is refused before a body is read
 * (docs/reference/http.md#order-of-checks). The memory account counts nothing here: bytes count when they arrive,
 * whatever the headers announced.
 */
export function admitBody(request: IncomingMessage, limits: BodyLimits, holding: Holding): BodyRefusal | undefined {
  const declared = declaredLength(request)
  if (declared === undefined) return undefined
  if (declared > limits.requestBytes) return { kind: 'refused', code: 'BODY_TOO_LARGE' }
  return holding.hasRoom(declared) ? undefined : { kind: 'refused', code: 'OVERLOADED' }
}

/** Bytes of the body that the request announces; 0: none, Infinity: nobody knows, as it comes in chunks. */
export function announcedBytes(request: IncomingMessage): number {
  return request.headers['transfer-encoding'] === undefined ? (declaredLength(request) ?? 0) : Number.POSITIVE_INFINITY
}

export function declaredLength(request: IncomingMessage): number | undefined {
  const length = request.headers['content-length']
  return length === undefined ? undefined : Number(length)
}

/** Up to this length a body is judged in one step when it is whole: some milliseconds at worst, and no state to keep. */
const JUDGED_WHOLE_BYTES = 1024 * 1024

/** So much of a body in small pieces is counted and judged together. */
const STEP_BYTES = 4 * 1024
/** What a piece and a byte cost on the main thread, about: node's parser and the copies, and the judging. */
const CHUNK_MS = 0.001
const BYTE_MS = 1e-6
const JUDGED_BYTE_MS = 2e-6
/** A body that took less is read on in the next turn, whatever the others took: it must not wait behind forty of them. */
const CHEAP_MS = 0.25

/** Reads a whole body and judges whether it is JSON, a large one piece by piece as it arrives. */
export function readBody(
  request: IncomingMessage,
  connection: BodyConnection,
  reading: BodyReading,
): Promise<BodyRead> {
  // A caller may leave before its body is asked for: no event would tell of that any more.
  if (request.destroyed) return Promise.resolve({ kind: 'caller gone' })
  return new Promise((resolve) => {
    const { limits, holding, json, turn } = reading
    const declared = declaredLength(request)
    const body = new GrowingBytes(declared)
    let scan: JsonScan | undefined
    /** Bytes at the body's end that no step has looked at yet. */
    let pending = 0
    let isSettled = false
    let isWaiting = false
    /** What this body took of the main thread since it was read on last. */
    let usedMs = 0
    let pieces = 0
    const { push } = request
    const timedOut = (): void => settle({ kind: 'refused', code: 'REQUEST_TIMEOUT' })
    const idle = setTimeout(timedOut, limits.requestIdleTimeoutMs)
    let incoming: { readonly holding: Holding; readonly end: () => void; arrivedMs: number } | undefined
    let firstMs = 0
    request.push = takeNext
    request.on('data', onData)
    request.on('end', onEnd)
    request.on('close', onClose)
    request.on('error', onClose)
    connection.openBody(endEarly)

    /**
     * Takes what node's parser hands over, before the request's stream does: the parser can't stop within a segment of
     * 64 KiB, which may hold 11,000 chunks, and the stream would cost each of them several times as much.
     */
    function takeNext(chunk: unknown): boolean {
      // What came before this reading began is the stream's to hand over, and goes first.
      if (request.readableLength > 0) return push.call(request, chunk)
      if (Buffer.isBuffer(chunk)) {
        onData(chunk)
        return !isWaiting
      }
      if (chunk === null) onEnd()
      return push.call(request, chunk)
    }

    function onData(chunk: Buffer): void {
      const { length } = chunk
      pieces += 1
      if (pieces % MANY_PIECES === 0) connection.notePieces()
      if (body.length + length > limits.requestBytes) {
        settle({ kind: 'refused', code: 'BODY_TOO_LARGE' })
        return
      }
      body.add(chunk)
      pending += length
      // Most bodies come in one piece; of many tiny ones, some are looked at together.
      if (length === declared || pending >= STEP_BYTES) step()
      const costMs = CHUNK_MS + length * (scan === undefined ? BYTE_MS : BYTE_MS + JUDGED_BYTE_MS)
      usedMs += costMs
      if (turn.spend(costMs) && body.length !== declared) waitForTurn()
    }

    /** Counts what came since the last step, and judges it. */
    function step(): void {
      if (!holding.take(pending)) settle({ kind: 'refused', code: 'OVERLOADED' })
      else if (pending !== declared && !isInTime()) timedOut()
      else if (declared === undefined || declared > JUDGED_WHOLE_BYTES) {
        scan ??= json.begin(limits.jsonDepth)
        scan.add(body.end(pending))
      }
      pending = 0
    }

    /** Callers that send fast leave the main thread to others. */
    function waitForTurn(): void {
      if (isWaiting) return
      isWaiting = true
      setImmediate(readOn)
    }

    /** In the first turn that has room for as much as came the last time: where each of forty bodies takes 10 ms, one. */
    function readOn(): void {
      if (connection.isPaused || (turn.isSpent && usedMs > CHEAP_MS)) {
        setImmediate(readOn)
        return
      }
      turn.spend(usedMs)
      usedMs = 0
      isWaiting = false
      // Settled or not: nobody else starts the connection again.
      request._read(0)
    }

    /** A body in pieces has a time for all of them, looked at as they come: silence has a limit of its own. */
    function isInTime(): boolean {
      const nowMs = performance.now()
      idle.refresh()
      if (incoming === undefined) {
        firstMs = nowMs
        incoming = { holding, end: timedOut, arrivedMs: nowMs }
        holding.follow(incoming)
      }
      incoming.arrivedMs = nowMs
      return nowMs - firstMs <= limits.requestBodyTimeoutMs
    }

    function onEnd(): void {
      if (pending > 0) step()
      if (isSettled) return
      const bytes = body.join()
      settle({ kind: 'read', bytes, scanned: scan?.end() ?? json.scan(bytes, limits.jsonDepth) })
    }

    function onClose(): void {
      settle({ kind: 'caller gone' })
    }

    function endEarly(ending: EarlyEnd): boolean {
      if (request.complete) return false
      settle(ending)
      return true
    }

    function settle(result: BodyRead): void {
      // Once: what was read is the transaction's, whatever becomes of the caller.
      if (isSettled) return
      isSettled = true
      clearTimeout(idle)
      if (incoming !== undefined) holding.complete(incoming)
      if (result.kind !== 'read') {
        holding.releaseAll()
        body.drop()
      }
      connection.closeBody(endEarly)
      request.push = push
      request.off('data', onData)
      request.off('end', onEnd)
      request.off('close', onClose)
      // The error listener stays: a socket error after this is the caller going away, told elsewhere.
      resolve(result)
    }
  })
}
