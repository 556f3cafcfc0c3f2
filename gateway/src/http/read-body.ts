import type { IncomingMessage } from 'node:http'
import type { ErrorCode } from '../errors.ts'
import type { JsonScan } from '../json/chunk-scan.ts'
import type { JsonEngine } from '../json/json-scan.ts'
import type { ScanResult } from '../json/scan-result.ts'
import { GrowingBytes } from '../memory/growing-bytes.ts'
import type { CallMemory, IncomingBody } from '../memory/memory-account.ts'
import type { TurnBudget } from '../work/turn-budget.ts'
import type { WorkQueue } from '../work/work-queue.ts'

export type BodyResult =
  | { readonly kind: 'read'; readonly bytes: Buffer; readonly scanned: ScanResult }
  | BodyRefusal
  | { readonly kind: 'caller gone' }

/** A refusal of a body; `message` replaces the message of the code. */
export type BodyRefusal = {
  readonly kind: 'refused'
  readonly code: Extract<
    ErrorCode,
    'BAD_PATH' | 'BODY_TOO_LARGE' | 'HEADERS_TOO_LARGE' | 'OVERLOADED' | 'REQUEST_TIMEOUT'
  >
  readonly message?: string
}

/** The reason why the reading of a body ends early. */
export type BodyFailure = Exclude<BodyResult, { readonly kind: 'read' }>

/**
 * Ends the reading of a body whose connection broke below the request level, so that the transaction answers. Returns
 * false where the whole body had arrived, so that the break belongs to a later request.
 */
export type EndBodyReading = (ending: BodyFailure) => boolean

/** The part of a connection that reading a body needs. */
export type BodyConnection = {
  openBody(end: EndBodyReading): void
  closeBody(end: EndBodyReading): void
  /** True while nothing is read from the connection in this turn. */
  readonly isPaused: boolean
  /** The time of the end of the last pause, as `performance.now()`; 0 before the first one. */
  readonly resumedMs: number
  /** Called with true where a body's reader has stopped its connection until a later turn, and with false behind that. */
  holdBody(isHeld: boolean): void
  /** Called for each piece of a body with its length, where a reader takes it. */
  countPiece(bytes: number): void
  /** Called for each piece of a chunked body with its length, where node's parser hands it over. */
  noteArrival(bytes: number): void
}

export type BodyLimits = {
  readonly requestBytes: number
  readonly requestIdleTimeoutMs: number
  readonly requestBodyTimeoutMs: number
  readonly jsonDepth: number
}

/** The parts that a body's reading needs. `memory` is the call's and counts the bytes. */
export type ReadBodyOptions = {
  readonly limits: BodyLimits
  readonly memory: CallMemory
  readonly json: JsonEngine
  /** The share of a turn that bodies may take. */
  readonly budget: TurnBudget
  /** Scans of whole bodies wait here where the budget is spent. */
  readonly work: WorkQueue
}

/**
 * Refuses a body by its declared length, before it is read (docs/reference/http.md#order-of-checks). The memory account
 * counts bytes when they arrive, so that nothing is counted here.
 */
export function admitBody(request: IncomingMessage, limits: BodyLimits, memory: CallMemory): BodyRefusal | undefined {
  const declared = declaredLength(request)
  if (declared === undefined) return undefined
  if (declared > limits.requestBytes) return { kind: 'refused', code: 'BODY_TOO_LARGE' }
  return memory.admit(declared) ? undefined : { kind: 'refused', code: 'OVERLOADED' }
}

/** Returns the announced bytes of the body: 0 without a body, Infinity for a chunked body. */
export function announcedBytes(request: IncomingMessage): number {
  return isChunked(request) ? Number.POSITIVE_INFINITY : (declaredLength(request) ?? 0)
}

/** A segment brings a body of a declared length in one piece, a chunked body in as many pieces as its caller likes. */
export function isChunked({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined
}

/** Returns the Content-Length in bytes; undefined without one. */
export function declaredLength(request: IncomingMessage): number | undefined {
  const length = request.headers['content-length']
  return length === undefined ? undefined : Number(length)
}

/** The longest body that is scanned at once at its end: this takes some milliseconds and needs no state. */
const SCANNED_WHOLE_BYTES = 1024 * 1024

/**
 * A body whose end takes no more main-thread milliseconds ends in the turn of its last byte, whatever other bodies took:
 * the scan of 16 KiB.
 */
const ENDED_AT_ONCE_MS = 0.033
/** Small pieces are counted and scanned together up to this size. */
const STEP_BYTES = 4 * 1024
/** The rough main-thread cost in milliseconds of a piece and of a byte: node's parser and copies, and scanning. */
const CHUNK_MS = 0.001
const BYTE_MS = 1e-6
const SCANNED_BYTE_MS = 2e-6
/** The same cost of a byte that moves to other memory, most of whose pages are new. */
const MOVED_BYTE_MS = 6e-7
/** A body that took less time in a turn is read on in the next turn, even if other bodies used up the budget. */
const CHEAP_MS = 0.25
/** A body whose connection the gateway has paused at the end of the idle time is looked at again after this time. */
const PAUSED_MS = 1_000
/**
 * The most time that a body gets beyond its idle time because the gateway doesn't read it. Callers who send many small
 * pieces cause pauses of all connections, again and again, so that silent bodies would have no limit.
 */
const MOST_PAUSED_MS = 10_000
/** A connection is read within this time once it has resumed: the sockets are looked at in the next turn. */
const UNREAD_MS = 100

/** Reads a whole body and checks that it is JSON; a large body is scanned piece by piece as it arrives. */
export function readBody(
  request: IncomingMessage,
  connection: BodyConnection,
  reading: ReadBodyOptions,
): Promise<BodyResult> {
  // A request destroyed before this point emits no further event.
  if (request.destroyed) return Promise.resolve({ kind: 'caller gone' })
  return new Promise((resolve) => {
    const { limits, memory, json, budget, work } = reading
    const declared = declaredLength(request)
    /** The bytes that the call holds beside its body. They count until it is answered. */
    const callBytes = memory.bytes
    const body = new GrowingBytes(declared, limits.requestBytes)
    let scan: JsonScan | undefined
    /** The bytes at the body's end that no step has scanned yet. */
    let pending = 0
    let isSettled = false
    /** True once the last byte has arrived. */
    let isWhole = false
    let isWaiting = false
    /** The time at which this body last resumed, as `performance.now()`. */
    let resumedMs = 0
    /** The milliseconds of the main thread that this body took since reading last resumed. */
    let usedMs = 0
    const { push } = request
    const timedOut = (): void => settle({ kind: 'refused', code: 'REQUEST_TIMEOUT' })
    const { requestIdleTimeoutMs: idleMs, requestBodyTimeoutMs: bodyMs } = limits
    let timer: NodeJS.Timeout | undefined
    /** The time of the last chunk: to refresh the timer at each chunk would cost more than to look at the clock. */
    let arrivedMs = performance.now()
    /** The body in the memory account, while it waits for further bytes: its caller may send a part and stop. */
    let incoming: (IncomingBody & { arrivedMs: number }) | undefined
    /** The time of the first chunk. */
    let firstMs: number | undefined
    request.push = takeNext
    request.on('data', onData)
    request.on('end', onEnd)
    request.on('close', onClose)
    request.on('error', onClose)
    connection.openBody(endEarly)
    // Most bodies arrive with their head, before this microtask, so that nothing has to wait for their rest.
    queueMicrotask(awaitRest)

    /**
     * Takes chunks from node's parser before the request's stream does. The parser can't stop within a segment of 64
     * KiB, which may hold 11,000 chunks, and the stream would take several times as long for each.
     */
    function takeNext(chunk: unknown): boolean {
      if (Buffer.isBuffer(chunk)) connection.noteArrival(chunk.length)
      // Bytes that arrived before this reading are still in the stream and come first.
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
      connection.countPiece(length)
      if (body.length + length > limits.requestBytes) {
        settle({ kind: 'refused', code: 'BODY_TOO_LARGE' })
        return
      }
      body.add(chunk)
      pending += length
      arrivedMs = performance.now()
      firstMs ??= arrivedMs
      if (incoming !== undefined) incoming.arrivedMs = arrivedMs
      // A body in one piece is scanned at once, tiny pieces are scanned together.
      if (length === declared || pending >= STEP_BYTES) step()
      const costMs = CHUNK_MS + length * (scan === undefined ? BYTE_MS : BYTE_MS + SCANNED_BYTE_MS)
      usedMs += costMs
      if ((budget.spend(costMs) || body.mustGrow) && body.length !== declared) waitForTurn()
    }

    /** Counts and scans the bytes since the last step. */
    function step(): void {
      if (!memory.take(pending)) settle({ kind: 'refused', code: 'OVERLOADED' })
      else if (arrivedMs - (firstMs ?? arrivedMs) > bodyMs) timedOut()
      else if (declared === undefined || declared > SCANNED_WHOLE_BYTES) {
        scan ??= json.begin(limits.jsonDepth)
        scan.add(body.tail(pending))
      }
      pending = 0
    }

    /** Pauses a body that has used up the turn's budget, or must grow, so that other calls run. */
    function waitForTurn(): void {
      if (isWaiting) return
      isWaiting = true
      connection.holdBody(true)
      setImmediate(resumeReading)
    }

    /**
     * Resumes in the first turn whose budget isn't spent and books the time of the last resumption: of forty bodies
     * that take 10 ms each, or must grow by as much, one resumes in a turn.
     */
    function resumeReading(): void {
      // A connection that closes while it is paused never resumes.
      if (request.socket.destroyed) return
      const { mustGrow } = body
      if (connection.isPaused || (budget.isSpent && (mustGrow || usedMs > CHEAP_MS))) {
        setImmediate(resumeReading)
        return
      }
      if (mustGrow) usedMs += body.grow() * MOVED_BYTE_MS
      budget.spend(usedMs)
      usedMs = 0
      isWaiting = false
      connection.holdBody(false)
      resumedMs = performance.now()
      // Reading resumes for a settled body too, since nothing else resumes the connection.
      request._read(0)
    }

    /** Returns true while the gateway itself doesn't read the body, or not yet again: the caller may not be silent then. */
    function isUnread(): boolean {
      if (isWaiting || connection.isPaused) return true
      return performance.now() - Math.max(resumedMs, connection.resumedMs) < UNREAD_MS
    }

    function awaitRest(): void {
      if (isSettled || request.complete || body.length === declared) return
      timer = setTimeout(checkTime, Math.min(idleMs, bodyMs))
      incoming = { memory, end: makeRoom, arrivedMs, isUnread }
      memory.trackIncoming(incoming)
    }

    /** Ends a body whose room another call needs: the call's own bytes, too, are given up before it is answered. */
    function makeRoom(): void {
      timedOut()
      memory.releaseAll()
    }

    /** Ends a body that has paused for too long or takes too long as a whole; otherwise sets the timer again. */
    function checkTime(): void {
      const nowMs = performance.now()
      const idleLeftMs = arrivedMs + idleMs - nowMs
      const pauseLeftMs = idleLeftMs <= 0 && isUnread() ? Math.min(PAUSED_MS, idleLeftMs + MOST_PAUSED_MS) : idleLeftMs
      const leftMs = Math.min(pauseLeftMs, (firstMs ?? nowMs) + bodyMs - nowMs)
      if (leftMs <= 0) timedOut()
      else timer = setTimeout(checkTime, Math.ceil(leftMs))
    }

    function onEnd(): void {
      if (isWhole) return
      isWhole = true
      if (pending > 0) step()
      if (isSettled) return
      stopWaiting()
      // The last bytes of many bodies may come in one turn.
      const endMs = body.movedByJoin * MOVED_BYTE_MS + (scan === undefined ? body.length * SCANNED_BYTE_MS : 0)
      const isLong = endMs > ENDED_AT_ONCE_MS
      if (isLong && budget.isSpent) {
        work.add(memory.router.path, finish)
        return
      }
      if (isLong) budget.spend(endMs)
      finish()
    }

    function finish(): void {
      if (isSettled) return
      const bytes = body.join()
      settle({ kind: 'read', bytes, scanned: scan?.end() ?? json.scan(bytes, limits.jsonDepth) })
    }

    function onClose(): void {
      // Node closes a request at its end, too.
      if (!isWhole) settle({ kind: 'caller gone' })
    }

    function endEarly(ending: BodyFailure): boolean {
      if (request.complete) return false
      settle(ending)
      return true
    }

    /** Ends the time limits of a body that has arrived, or that nobody waits for any more. */
    function stopWaiting(): void {
      clearTimeout(timer)
      if (incoming !== undefined) memory.untrackIncoming(incoming)
      incoming = undefined
    }

    function settle(result: BodyResult): void {
      // Only the first result counts: a body that was read belongs to the transaction, even if the caller leaves.
      if (isSettled) return
      isSettled = true
      stopWaiting()
      if (result.kind !== 'read') {
        memory.release(memory.bytes - callBytes)
        body.drop()
      }
      connection.closeBody(endEarly)
      request.push = push
      request.off('data', onData)
      request.off('end', onEnd)
      request.off('close', onClose)
      // The error listener stays: a later socket error means that the caller left, and the call's signal handles it.
      resolve(result)
    }
  })
}
