import type { CheckedGlConfig, Environment, GlCheck, GlSettings, Logger, ValidationErrors } from '@llm-gateway/conf'
import { type Slice, WorkQueue } from '../work/work-queue.ts'
import type { ConfigReading, ReadConfig } from './config-reading.ts'
import { fileStamp } from './file-stamp.ts'
import type { Verdict } from './judge-config.ts'
import { MissingValues } from './missing-values.ts'
import { readConfig } from './read-config.ts'
import { logApplied } from './reload-lines.ts'
import { appliedState, NOTHING_APPLIED, type ReloadResult, type ReloadState } from './reload-state.ts'
import { createLiveConfig, type LiveConfig } from './runtime-config.ts'
import { SeenStamp } from './seen-stamp.ts'
import { changedStaticFields } from './static-fields.ts'
import { type Watch, type WatchOptions, watchConfig } from './watch.ts'

export type ReloadOptions<T> = {
  readonly file: string
  readonly secretsDir?: string
  readonly environment: Environment
  readonly logger: Logger
  /** Compiles in slices, since calls run meanwhile; a rejection fails the reload. */
  readonly compile: (checked: CheckedGlConfig, digest: string, slice: Slice) => Promise<T>
  /** Called after each new result; `config` is given where it has just gone live. */
  readonly reported?: (state: ReloadState, config?: CheckedGlConfig) => void
  readonly timings?: Partial<ReloadTimings>
  /** The queue that schedules the slices of a large configuration. */
  readonly work?: WorkQueue
}

export type ReloadTimings = NonNullable<WatchOptions['timings']> & {
  /**
   * The milliseconds after which a file that is broken, or rejects more than before, is read again before the result
   * counts: the file may be half written.
   */
  readonly settleMs: number
  /** The milliseconds between two readings while values are missing. */
  readonly retryMs: number
  readonly giveUpMissingMs: number
}

export type Reload<T> = {
  /** The compiled configuration in force. While `ready` is false, routers whose values are missing aren't in it. */
  readonly live: LiveConfig<T>
  /** The settings of the file at the start, which static settings keep. */
  readonly settings: GlSettings
  readonly state: ReloadState
  /** True once a configuration is in force. */
  readonly ready: boolean
  /** Resolves once a configuration is in force; rejects with the signal's reason where the signal aborts first. */
  whenReady(signal?: AbortSignal): Promise<void>
  /** Checks the file now; never rejects. Resolves with the milliseconds after which to check again, if any. */
  check(): Promise<number | undefined>
  close(): Promise<void>
}

/** The file has no usable configuration at the start; the log has the reason. */
export class ConfigInvalidError extends Error {
  readonly validationErrors: ValidationErrors
  constructor(validationErrors: ValidationErrors) {
    super('configuration file validation failed')
    this.validationErrors = validationErrors
  }
}

const TIMINGS = { settleMs: 100, retryMs: 1_000, giveUpMissingMs: 30_000 }
const MOST_SHOWN_NAMES = 16

/**
 * Loads the configuration and follows its file and values; rejects with ConfigInvalidError
 * (docs/reference/configuration-rules.md#reload).
 */
export async function startReload<T>(options: ReloadOptions<T>): Promise<Reload<T>> {
  const timings = { ...TIMINGS, ...options.timings }
  const work = options.work ?? new WorkQueue()
  const first = await readInitial(options)
  const applicable = first.verdict.kind === 'checked' ? first.verdict : first.known
  const compiled = await options.compile(applicable.config, applicable.digest, work.begin())
  const reload = new Reloader({ options, timings, work }, applicable, compiled)
  await reload.begin(first.reading, first.verdict, compiled)
  reload.watch()
  return reload
}

type Timings = typeof TIMINGS
type Checked = Extract<GlCheck, { kind: 'checked' }>
type Failure = {
  readonly key: string
  readonly reason: string
  readonly errors: ValidationErrors
  readonly settleMs: number
}
type Applied = {
  readonly fingerprint: string
  readonly digest: string
  readonly activeEntries: ReadonlyMap<string, string>
}

type InitialConfig = {
  readonly reading: ReadConfig
  readonly verdict: Exclude<Verdict, { kind: 'invalid' }>
  /** The configuration without missing values, with which the ports can be opened. */
  readonly known: Checked
}

async function readInitial<T>(options: ReloadOptions<T>): Promise<InitialConfig> {
  const reading = await readConfig(options, new AbortController().signal)
  if (reading.kind === 'unreadable') throw notStarted(fileError(reading.code), options.logger)
  const verdict = await reading.judge(false)
  const known = verdict.kind === 'unfinished' ? await reading.judge(true) : verdict
  await reading.close()
  if (verdict.kind === 'invalid') throw notStarted(verdict.validationErrors, options.logger)
  if (known.kind === 'checked') return { reading, verdict, known }
  throw notStarted(known.kind === 'invalid' ? known.validationErrors : fileError('INTERNAL'), options.logger)
}

function notStarted(validationErrors: ValidationErrors, logger: Logger): ConfigInvalidError {
  logger.error({ validation_errors: validationErrors }, 'configuration file validation failed')
  return new ConfigInvalidError(validationErrors)
}

type ReloadContext<T> = { readonly options: ReloadOptions<T>; readonly timings: Timings; readonly work: WorkQueue }

class Reloader<T> implements Reload<T> {
  readonly live: LiveConfig<T>
  readonly settings: GlSettings
  readonly #options: ReloadOptions<T>
  readonly #timings: Timings
  readonly #work: WorkQueue
  readonly #missing: MissingValues
  readonly #seen = new SeenStamp()
  readonly #closing = new AbortController()
  #state: ReloadState = { ...NOTHING_APPLIED, reload: { result: 'waiting', time: now(), reason: 'STARTING' } }
  #applied: Applied | undefined
  /** The last logged failure or wait, which isn't logged again while it lasts. */
  #reported = ''
  #suspect: { readonly key: string; readonly since: number } | undefined
  #checking: Promise<number | undefined> = Promise.resolve(undefined)
  #watch: Watch | undefined
  readonly #readied = Promise.withResolvers<void>()

  constructor({ options, timings, work }: ReloadContext<T>, first: Checked, compiled: T) {
    this.#options = options
    this.#timings = timings
    this.#work = work
    this.#missing = new MissingValues(timings.giveUpMissingMs)
    this.settings = first.config.settings
    this.live = createLiveConfig(compiled)
  }

  /** Takes the configuration at the start of the process. */
  async begin(reading: ReadConfig, verdict: InitialConfig['verdict'], compiled: T): Promise<void> {
    if (verdict.kind === 'checked') await this.#goLive(reading, verdict, compiled)
    else this.#wait(reading.fingerprint, verdict.missing)
  }

  get state(): ReloadState {
    return this.#state
  }

  get ready(): boolean {
    return this.#applied !== undefined
  }

  async whenReady(signal?: AbortSignal): Promise<void> {
    if (this.ready) return
    signal?.throwIfAborted()
    const aborted = Promise.withResolvers<never>()
    const abort = (): void => aborted.reject(signal?.reason)
    signal?.addEventListener('abort', abort)
    await Promise.race([this.#readied.promise, aborted.promise])
    signal?.removeEventListener('abort', abort)
  }

  check(): Promise<number | undefined> {
    this.#checking = this.#checking
      .then(() => this.#check())
      .catch(() => {
        this.#options.logger.error({ code: 'INTERNAL' }, 'configuration reload failed')
        return undefined
      })
    return this.#checking
  }

  watch(): void {
    const { timings = {} } = this.#options
    this.#watch = watchConfig({ ...this.#options, timings, check: () => this.check() })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#watch?.close()
    await this.#checking
  }

  async #check(): Promise<number | undefined> {
    const { file, secretsDir } = this.#options
    const stamp = await fileStamp(file, secretsDir)
    if (this.#seen.isCertain(stamp)) return undefined
    const ageMs = this.#seen.see(stamp, performance.now())
    const reading = await readConfig(this.#options, this.#closing.signal)
    const againMs = await this.#take(reading).finally(() => reading.kind === 'read' && reading.close())
    if (againMs === undefined) this.#seen.readUnder(stamp, ageMs)
    return againMs
  }

  async #take(reading: ConfigReading): Promise<number | undefined> {
    const { retryMs, settleMs } = this.#timings
    if (this.#closing.signal.aborted) return undefined
    if (reading.kind === 'unreadable') {
      const { code, lasting } = reading
      if (code === 'DELIVERY_CHANGING') return settleMs // the delivery changed during the reading, which isn't an error
      const waitMs = this.#fail({ key: code, reason: code, errors: fileError(code), settleMs: retryMs })
      return lasting ? waitMs : (waitMs ?? retryMs)
    }
    const { fingerprint } = reading
    if (fingerprint === this.#applied?.fingerprint) return this.#keep(reading.valuesRevision)
    if (this.#reported === failure(fingerprint)) return undefined // unchanged bytes and values have the same verdict
    const verdict = await this.#judge(reading)
    if (this.#closing.signal.aborted) return undefined
    switch (verdict.kind) {
      case 'invalid':
        return this.#fail({ key: fingerprint, reason: 'INVALID', errors: verdict.validationErrors, settleMs })
      case 'unfinished':
        return this.#wait(fingerprint, verdict.missing)
      case 'checked':
        return await this.#apply(reading, verdict)
      default:
        return verdict satisfies never
    }
  }

  async #judge(reading: ReadConfig): Promise<Verdict> {
    const verdict = await reading.judge(false)
    if (verdict.kind === 'checked') this.#missing.clear()
    if (verdict.kind !== 'unfinished') return verdict
    return this.#missing.waitMs(verdict.missing, performance.now()) > 0 ? verdict : await reading.judge(true)
  }

  /** Notes that the file again holds the running configuration. */
  #keep(valuesRevision: string | undefined): undefined {
    const wasAway = this.#state.reload.result !== 'ok'
    if (wasAway) {
      const fields = { digest: this.#state.digest, values_revision: valuesRevision }
      this.#options.logger.info(fields, 'configuration file is again what runs')
    }
    const reload = wasAway ? succeeded() : this.#state.reload
    this.#state = { ...this.#state, valuesRevision, reload }
    this.#reported = ''
    this.#suspect = undefined
  }

  /** Logs a failure that lasts `settleMs` after its first occurrence. */
  #fail({ key, reason, errors, settleMs }: Failure): number | undefined {
    if (this.#reported === failure(key)) return undefined
    const waitMs = this.#unsettledMs(key, settleMs)
    if (waitMs > 0) return waitMs
    this.#options.logger.error({ validation_errors: errors }, 'configuration file validation failed')
    this.#report(failure(key), 'failed', reason)
    return undefined
  }

  #unsettledMs(key: string, settleMs: number): number {
    const at = performance.now()
    if (this.#suspect?.key !== key) this.#suspect = { key, since: at }
    return Math.max(0, Math.ceil(this.#suspect.since + settleMs - at))
  }

  #wait(key: string, missing: readonly string[]): number {
    const report = `waiting ${key}`
    if (this.#reported !== report) {
      const shown = missing.slice(0, MOST_SHOWN_NAMES)
      this.#options.logger.info({ missing: shown, count: missing.length }, 'configuration waits for values')
      this.#report(report, 'waiting', 'VALUES_MISSING')
    }
    return Math.min(this.#timings.retryMs, Math.ceil(this.#missing.waitMs(missing, performance.now())))
  }

  #report(report: string, result: ReloadResult, reason: string): void {
    this.#reported = report
    this.#suspect = undefined
    this.#state = { ...this.#state, reload: { result, time: now(), reason } }
    this.#options.reported?.(this.#state)
  }

  async #apply(reading: ReadConfig, checked: Checked): Promise<number | undefined> {
    const { fingerprint } = reading
    const { config, digest } = checked
    // A value that is being written is empty for a moment and must not cost a router.
    const waitMs = this.#rejectsMore(config) ? this.#unsettledMs(fingerprint, this.#timings.settleMs) : 0
    if (waitMs > 0) return waitMs
    const compiled = this.#options.compile(config, digest, this.#work.begin())
    const next = await compiled.then((value) => ({ value })).catch(() => undefined)
    if (next !== undefined) return await this.#goLive(reading, checked, next.value)
    const { settleMs } = this.#timings
    return this.#fail({ key: fingerprint, reason: 'INTERNAL', errors: fileError('INTERNAL'), settleMs })
  }

  async #goLive(
    { fingerprint, valuesRevision }: ReadConfig,
    { config, digest }: Checked,
    compiled: T,
  ): Promise<undefined> {
    const { logger, reported } = this.#options
    const slice = this.#work.begin()
    const { activeEntries, ...state } = await appliedState({ config, digest, valuesRevision }, slice)
    const restart = changedStaticFields(this.settings, config.settings)
    this.live.swap(compiled)
    const previous = this.#applied ?? { digest: '', activeEntries: new Map() }
    this.#applied = { fingerprint, digest, activeEntries }
    this.#state = { ...state, reload: succeeded() }
    this.#reported = ''
    this.#suspect = undefined
    await logApplied({ logger, slice }, config, { previous, next: this.#state, restart })
    reported?.(this.#state, config)
    this.#readied.resolve()
  }

  #rejectsMore({ rejectedFields, rejectedRouters }: CheckedGlConfig): boolean {
    if (this.#applied === undefined) return false
    if (rejectedRouters.length > this.#state.routers.rejected) return true
    return Object.keys(rejectedFields).some((field) => !Object.hasOwn(this.#state.rejectedFields, field))
  }
}

function fileError(code: string): ValidationErrors {
  return { gl_config: code }
}

function failure(key: string): string {
  return `failed ${key}`
}

function succeeded(): ReloadState['reload'] {
  return { result: 'ok', time: now(), reason: '' }
}

function now(): string {
  return new Date().toISOString()
}
