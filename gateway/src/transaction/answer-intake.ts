import type { HeaderMap } from '../http/headers.ts'
import { BodyCopy } from '../memory/body-copy.ts'
import type { CallMemory } from '../memory/memory-account.ts'
import { decodeAtOnce, decodeBody, decodeShort, hasKnownCodings, SHORT_BYTES } from '../stream/decode-body.ts'
import { type AnswerContent, AnswerReader, type AnswerReaderOptions, PASSED_CHUNK_MS } from './answer-reader.ts'
import { createCountedPayload, oversizedPayload, payloadContext } from './payload.ts'
import { isEventStream } from './response-side.ts'
import type { Gateway, Transaction } from './transaction.ts'

/**
 * The reason why an answer's payload is incomplete; for a collected answer, the error of the call. `truncated`: the
 * body ended within its coding, and the payload is the decoded part of the body.
 */
export type AnswerProblem = 'undecodable' | 'truncated' | 'UPSTREAM_TOO_LARGE' | 'OVERLOADED'

export type IntakeResult = AnswerContent & { readonly problem: AnswerProblem | undefined }

/** Takes an answer's body piece by piece and makes its payload at the end. */
export type AnswerIntake = {
  /** True once the stream's last event has arrived. */
  readonly hasEnded: boolean
  /** The reason why the copy of the body is cut; undefined while the copy is whole. */
  readonly problem: Exclude<AnswerProblem, 'undecodable' | 'truncated'> | undefined
  /** Returns true where the memory account has room for `bytes` more, or where they exceed the limit and are cut. */
  hasRoom(bytes: number): boolean
  /** Returns false where the sender should wait for the next turn of the event loop. */
  add(chunk: Buffer): boolean
  /** Makes the payload; called once after the body's end. */
  finish(): IntakeResult | Promise<IntakeResult>
  /** Returns the received bytes; they are whole only with `keepsBytes`. */
  bytes(): Buffer
}

/**
 * Larger answers of one router are finished one after another, because each payload takes as much memory again as its
 * answer.
 */
const LARGE_BYTES = 1024 * 1024

/**
 * The most answers up to `SHORT_BYTES` that are decoded at one time. Each takes up to 5 MiB: its bytes, coded and
 * decoded, and its decoder.
 */
export const SHORT_DECODINGS = 8

/**
 * The most longer answers that are decoded at one time. Four codings of an answer hold four windows of up to
 * 16 MiB: two answers hold up to 128 MiB.
 */
export const DECODINGS = 2

type IntakeOptions = { readonly keepsBytes: boolean; readonly gateway: Gateway }

/**
 * Opens the intake of an answer. A body without a coding is read as it arrives; a compressed body is kept and decoded
 * at its end.
 */
export function openIntake(
  transaction: Pick<Transaction, 'memory' | 'runtime'>,
  headers: HeaderMap,
  options: IntakeOptions,
): AnswerIntake {
  const { limits } = transaction.runtime
  const reading: AnswerReaderOptions = {
    memory: transaction.memory,
    json: options.gateway.json,
    budget: options.gateway.readBudget,
    jsonDepth: limits.jsonDepth,
    limitBytes: limits.responseBytes,
    isStreamed: isEventStream(headers),
    keepsBytes: options.keepsBytes,
  }
  const coding = headers.get('content-encoding')?.values.join(',')
  return coding === undefined
    ? new PlainIntake(reading, options.gateway)
    : new CodedIntake({ ...reading, keepsBytes: false }, coding, options.gateway)
}

function cutProblem(copy: BodyCopy, limitBytes: number): AnswerIntake['problem'] {
  if (!copy.isCut) return undefined
  return copy.totalBytes > limitBytes ? 'UPSTREAM_TOO_LARGE' : 'OVERLOADED'
}

class PlainIntake implements AnswerIntake {
  readonly #reader: AnswerReader
  readonly #memory: CallMemory
  readonly #limitBytes: number
  readonly #gateway: Gateway

  constructor(options: AnswerReaderOptions, gateway: Gateway) {
    this.#reader = new AnswerReader(options)
    this.#memory = options.memory
    this.#limitBytes = options.limitBytes
    this.#gateway = gateway
  }

  get hasEnded(): boolean {
    return this.#reader.hasEnded
  }

  get problem(): AnswerIntake['problem'] {
    return cutProblem(this.#reader.copy, this.#limitBytes)
  }

  hasRoom(bytes: number): boolean {
    return this.#reader.hasRoom(bytes)
  }

  add(chunk: Buffer): boolean {
    return this.#reader.add(chunk)
  }

  finish(): IntakeResult | Promise<IntakeResult> {
    if (this.#reader.copy.totalBytes > LARGE_BYTES) {
      return this.#gateway.largeAnswers.run(this.#memory.router, async () => resultOf(await this.#read()))
    }
    const read = this.#read()
    return read instanceof Promise ? read.then(resultOf) : resultOf(read)
  }

  bytes(): Buffer {
    return this.#reader.copy.join()
  }

  #read(): AnswerContent | Promise<AnswerContent> {
    return this.#reader.finish(payloadContext(this.#gateway, this.#memory))
  }
}

function resultOf({ payload, usage, isOverloaded }: AnswerContent): IntakeResult {
  return { payload, usage, problem: isOverloaded === true ? 'OVERLOADED' : undefined }
}

class CodedIntake implements AnswerIntake {
  /** The events of a compressed stream are unknown before it is decoded. */
  readonly hasEnded = false
  readonly #copy: BodyCopy
  readonly #options: AnswerReaderOptions
  readonly #coding: string
  readonly #gateway: Gateway

  constructor(options: AnswerReaderOptions, coding: string, gateway: Gateway) {
    this.#copy = new BodyCopy(options.limitBytes, options.memory)
    this.#options = options
    this.#coding = coding
    this.#gateway = gateway
  }

  get problem(): AnswerIntake['problem'] {
    return cutProblem(this.#copy, this.#options.limitBytes)
  }

  hasRoom(bytes: number): boolean {
    return this.#copy.hasRoom(bytes)
  }

  add(chunk: Buffer): boolean {
    this.#copy.add(chunk)
    return !this.#options.budget.spend(PASSED_CHUNK_MS)
  }

  async finish(): Promise<IntakeResult> {
    const copy = this.#copy
    if (copy.isCut) return oversizedResult(copy.join(), copy.totalBytes, this.problem)
    const { memory, limitBytes } = this.#options
    // Thousands of answers may end in one turn, and each attempt takes up to some 0.3 ms.
    const { work } = this.#gateway
    if (work.isTurnUsedUp) await new Promise<void>((resolve) => work.resume(memory.router.path, resolve))
    const bytes = decodeAtOnce(copy.chunks, this.#coding, limitBytes)
    if (bytes !== undefined) return this.#decode([bytes], 'identity')
    if (!hasKnownCodings(this.#coding)) return this.#undecodable()
    const short = await this.#decodeShort()
    if (short === undefined)
      return this.#gateway.decodings.run(memory.router, () => this.#decode(copy.chunks, this.#coding))
    try {
      return await this.#decode([short], 'identity')
    } finally {
      memory.release(short.length)
    }
  }

  /**
   * Decodes an answer of usual length apart from long ones, which hold their places for seconds: an answer of 60 bytes
   * may decode to 64 MiB, and is given up here first. Counts the decoded bytes; undefined without room for them.
   */
  async #decodeShort(): Promise<Buffer | undefined> {
    const { memory, limitBytes } = this.#options
    const { chunks, totalBytes } = this.#copy
    if (totalBytes > SHORT_BYTES) return undefined
    const { shortDecodings } = this.#gateway
    const bytes = await shortDecodings.run(memory.router, () => decodeShort(chunks, this.#coding, limitBytes))
    return bytes !== undefined && memory.take(bytes.length) ? bytes : undefined
  }

  async #decode(chunks: readonly Buffer[], coding: string): Promise<IntakeResult> {
    const { limitBytes, memory } = this.#options
    const router = memory.router.path
    const reader = new AnswerReader(this.#options)
    const { work } = this.#gateway
    const consume = (bytes: Buffer): boolean | Promise<boolean> => {
      const isInTime = reader.add(bytes)
      // The copy is cut and no message is assembled: decoding the rest would be wasted.
      if (reader.copy.isCut && !reader.isRecognized) return false
      return isInTime || work.turn(router).then(() => true)
    }
    const decoded = await decodeBody(chunks, coding, { limitBytes, consume, slice: work.begin(router) })
    if (decoded.kind === 'undecodable') return this.#undecodable()
    if (decoded.kind === 'stopped' || decoded.cut) {
      return oversizedResult(
        reader.copy.join(),
        reader.copy.totalBytes,
        cutProblem(reader.copy, limitBytes) ?? 'UPSTREAM_TOO_LARGE',
      )
    }
    const result = resultOf(await reader.finish(payloadContext(this.#gateway, memory)))
    return decoded.truncated ? { ...result, problem: 'truncated' } : result
  }

  bytes(): Buffer {
    return this.#copy.join()
  }

  async #undecodable(): Promise<IntakeResult> {
    const bytes = this.#copy.join()
    const context = payloadContext(this.#gateway, this.#options.memory)
    const payload = await createCountedPayload(bytes, { kind: 'binary', spaces: 0 }, context)
    if (payload === undefined) this.#copy.cut()
    return {
      payload: payload ?? oversizedPayload(this.#copy.join(), bytes.length),
      usage: undefined,
      problem: 'undecodable',
    }
  }
}

function oversizedResult(start: Buffer, bytes: number, problem: AnswerProblem | undefined): IntakeResult {
  return { payload: oversizedPayload(start, bytes), usage: undefined, problem }
}
