import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { createHttpTarget, type HttpOutcome, type HttpTarget, isSuccess } from '../http/http-target.ts'
import { attemptOf } from '../http/post-record.ts'
import { jsonLines } from '../http/record-bodies.ts'
import type { Trust } from '../outbound-tls.ts'
import { splitBatch } from '../split-batch.ts'
import { type Attempt, allFailed, DELIVERED, type SinkRecord } from '../writer.ts'
import { type AwsKey, awsHeaders } from './aws-signature.ts'
import { BrokenPuts } from './broken-puts.ts'
import { ObjectNames } from './object-names.ts'

export type S3Target = {
  /** The URL of the server: `https://s3.eu-central-1.amazonaws.com`. */
  readonly url: URL
  readonly bucket: string
  /** The text before the hour in an object's name: `records/`. */
  readonly prefix: string
  readonly region: string
  readonly key: AwsKey
  readonly tls: Trust
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A server in between may take only small requests. */
const TOO_LARGE = 413
/** The statuses of a HEAD that the key, or the server, doesn't allow. */
const HIDING: ReadonlySet<number> = new Set([400, 401, 403, 405])
const compress = promisify(gzip)

/** The objects of a bucket, each with records of one hour: `<prefix>2026/11/22/09/<name>.ndjson.gz`. */
export class S3Objects {
  readonly #options: S3Target
  readonly #target: HttpTarget
  readonly #base: string
  readonly #names = new ObjectNames()
  readonly #broken = new BrokenPuts()
  /** The part in which a record of a divided batch was tried last; the parts of a try again are the same. */
  readonly #parts = new WeakMap<SinkRecord, readonly SinkRecord[]>()

  constructor(options: S3Target) {
    const { url, bucket, prefix, tls, now } = options
    this.#options = options
    this.#target = createHttpTarget({ tls, connections: 1, now })
    this.#base = `${url.origin}${url.pathname.replace(/\/$/, '')}/${bucket}/${escaped(prefix)}`
  }

  /** Returns the records in the objects in which they are to be put. */
  objectsOf(records: readonly SinkRecord[]): Iterable<readonly SinkRecord[]> {
    return Map.groupBy(records, (record) => this.#parts.get(record.whole ?? record)).values()
  }

  /** Puts records into one object, or into smaller ones where the server takes none of this size. */
  async put(hour: string, records: readonly SinkRecord[]): Promise<Attempt> {
    const first = `${this.#base}${hour}/${nameOf(records)}`
    const settled = this.#broken.mayBeTooLarge(first) ? await this.#settleBroken(first, hour, records) : undefined
    if (settled !== undefined) return settled
    const body = await compress(jsonLines(records))
    const outcome = await this.#send('PUT', first, body)
    this.#broken.note(first, body.length, outcome)
    const attempt = attemptOf(outcome, records)
    const status = outcome.kind === 'answered' ? outcome.status : 0
    if (status === TOO_LARGE) return records.length > 1 ? await this.#divide(hour, records) : attempt
    if (isSuccess(status) || (this.#names.answered(first, status) && (await this.#isStored(first)))) {
      return this.#stored(first)
    }
    // A record that may be too large lets others pass.
    return triedAgain(attempt, records.length === 1 && this.#broken.mayBeTooLarge(first))
  }

  close(): Promise<void> {
    return this.#target.close()
  }

  /** Looks for an object whose connections broke; undefined: it isn't there and is to be sent once more. */
  async #settleBroken(first: string, hour: string, records: readonly SinkRecord[]): Promise<Attempt | undefined> {
    const outcome = await this.#send('HEAD', first)
    const place = placeOf(outcome)
    if (place === 'stored') return this.#stored(first)
    if (place === 'away') {
      this.#broken.forget(first)
      return triedAgain(attemptOf(outcome, records), false)
    }
    if (records.length === 1) return undefined
    return place === 'hidden'
      ? await this.#settleHidden(first, hour, records)
      : await this.#divideBroken(first, hour, records)
  }

  /**
   * Puts one record of an object alone where nobody can tell whether the object is there: the parts of a stored one are
   * copies. Divides the object only if the record arrives, or is at fault itself; undefined: the object is to be sent
   * once more.
   */
  async #settleHidden(first: string, hour: string, records: readonly SinkRecord[]): Promise<Attempt | undefined> {
    const one = smallest(records)
    if (this.#broken.hasOneArrived(first)) {
      return await this.#divideBroken(
        first,
        hour,
        records.filter((record) => record !== one),
      )
    }
    const { failed, ...rest } = await this.put(hour, one === undefined ? [] : [one])
    const [failure] = failed
    if (failure === undefined) {
      this.#broken.oneArrived(first)
      return undefined
    }
    if (failure.alone === true || !failure.again) return await this.#divideBroken(first, hour, records)
    this.#broken.forget(first)
    return { ...rest, ...allFailed(records, failure) }
  }

  #divideBroken(first: string, hour: string, records: readonly SinkRecord[]): Promise<Attempt> {
    this.#broken.divided(first)
    return records.length > 1 ? this.#divide(hour, records) : this.put(hour, records)
  }

  /** Puts the halves of a batch. Their names are others, so they are copies if the object of the batch is stored. */
  #divide(hour: string, records: readonly SinkRecord[]): Promise<Attempt> {
    return splitBatch(records, async (part) => {
      // The same batch has the same parts.
      for (const record of part) this.#parts.set(record.whole ?? record, part)
      return await this.put(hour, part)
    })
  }

  /** Returns whether an object that was refused is there; gives its name up where the key may not look. */
  async #isStored(first: string): Promise<boolean> {
    const place = placeOf(await this.#send('HEAD', first))
    if (place === 'hidden') this.#names.giveUp(first)
    return place === 'stored'
  }

  #stored(first: string): Attempt {
    this.#names.stored(first)
    this.#broken.forget(first)
    return DELIVERED
  }

  async #send(method: 'PUT' | 'HEAD', first: string, body = new Uint8Array()): Promise<HttpOutcome> {
    const { region, key, now } = this.#options
    const url = new URL(`${this.#names.nameFor(first)}.ndjson.gz`)
    const headers = awsHeaders({ method, url, body, region, nowMs: now() }, key)
    return await this.#target.send({ method, url, headers, body })
  }
}

/**
 * Returns an attempt whose failures are tried again until somebody corrects the bucket or the key: only a 413 to a PUT
 * comes from a record's content.
 */
function triedAgain({ failed, ...rest }: Attempt, isAlone: boolean): Attempt {
  const alone = isAlone ? { alone: true } : {}
  return { ...rest, failed: failed.map((failure) => ({ ...failure, again: true, ...alone })) }
}

/** Returns the first of the smallest records, which is the same in each try. */
function smallest(records: readonly SinkRecord[]): SinkRecord | undefined {
  return records.toSorted((one, other) => one.bytes.length - other.bytes.length)[0]
}

/** `hidden`: the key may not look for objects; `away`: the server doesn't answer the question. */
function placeOf(outcome: HttpOutcome): 'stored' | 'absent' | 'hidden' | 'away' {
  if (outcome.kind === 'failed') return 'away'
  if (isSuccess(outcome.status)) return 'stored'
  if (outcome.status === 404) return 'absent'
  return HIDING.has(outcome.status) ? 'hidden' : 'away'
}

/** Escapes the characters that a URL leaves as they are and a signature doesn't. */
function escaped(prefix: string): string {
  return prefix.replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Returns a name made of the records' ids, so that a repeated try replaces the same object. */
function nameOf(records: readonly SinkRecord[]): string {
  const hash = createHash('sha256')
  for (const { id = '', bytes } of records) hash.update(id === '' ? bytes : `${id}\n`)
  return hash.digest('hex').slice(0, 32)
}
