import { setTimeout as delay } from 'node:timers/promises'
import type {
  CheckedGlConfig,
  Environment,
  GlConfigCheck,
  GlSettings,
  Logger,
  ValidationErrors,
} from '@llm-gateway/conf'
import { type Slice, WorkQueue } from '../work/work-queue.ts'
import type { CheckResult } from './check-config.ts'
import { fileStamp } from './file-stamp.ts'
import { LastStamp } from './last-stamp.ts'
import { logApplied } from './log-applied.ts'
import { MissingValues } from './missing-values.ts'
import { readConfig } from './read-config.ts'
import type { ReadResult, UncheckedConfig, UnreadableConfig } from './read-result.ts'
import { appliedState, NOTHING_APPLIED, type ReloadResult, type ReloadState } from './reload-state.ts'
import { createLiveConfig, type LiveConfig } from './runtime-config.ts'
import { changedStaticFields } from './static-fields.ts'
import { type ConfigWatcher, type WatchOptions, watchConfig } from './watch.ts'

export type ReloadOptions<T> = {
  readonly file: string
  readonly secretsDir?: string
  readonly environment: Environment
  readonly logger: Logger
  /** Compiles in slices, since calls run meanwhile; a rejection fails the reload. */
  readonly compile: (checked: CheckedGlConfig, digest: string, slice: Slice) => Promise<T>
  /** Called after each new result; `config` is given where it has just gone live. */
  readonly onReport?: (state: ReloadState, config?: CheckedGlConfig) => void
  readonly timings?: Partial<ReloadTimings>
  /** Reads the configuration; absent: `readConfig`. */
  readonly read?: typeof readConfig
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
  /** The milliseconds between two readings while the thread that reads the configuration is lost or too slow. */
  readonly lostThreadMs: number
  /** The milliseconds after which a missing value no longer delays the configuration, but costs its routers. */
  readonly giveUpMissingMs: number
  /** The milliseconds that `close` waits for a reload, whose reading may hang on a network share. */
  readonly closeMs: number
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
  /**
   * Stops following the file; never rejects. Resolves with true once no reload is running, and with false where a reload
   * hasn't ended in time: a thread of the process waits for its file.
   */
  close(): Promise<boolean>
}

/** The file has no usable configuration at the start; the log has the reason. */
export class ConfigInvalidError extends Error {
  readonly validationErrors: ValidationErrors
  constructor(validationErrors: ValidationErrors) {
    super('configuration file validation failed')
    this.validationErrors = validationErrors
  }
}

const TIMINGS = { settleMs: 100, retryMs: 1_000, lostThreadMs: 30_000, giveUpMissingMs: 30_000, closeMs: 2_000 }
const MAX_SHOWN_NAMES = 16

/**
 * Loads the configuration and follows its file and values; rejects with ConfigInvalidError
 * (docs/reference/configuration-rules.md#reload).
 */
export async function startReload<T>(options: ReloadOptions<T>): Promise<Reload<T>> {
  const timings = { ...TIMINGS, ...options.timings }
  const work = options.work ?? new WorkQueue()
  const first = await readInitial(options)
  const applicable = first.result.kind === 'checked' ? first.result : first.usable
  const compiled = await options.compile(applicable.config, applicable.digest, work.begin('reload'))
  const reload = new Reloader({ options, timings, work }, applicable, compiled)
  await reload.start(first.reading, first.result, compiled)
  reload.watch()
  return reload
}

type Timings = typeof TIMINGS
type Checked = Extract<GlConfigCheck, { kind: 'checked' }>
type ReloadFailure = {
  readonly key: string
  readonly reason: string
  readonly errors: ValidationErrors
  readonly settleMs: number
}
type AppliedConfig = {
  readonly fingerprint: string
  readonly digest: string
  readonly activeEntries: ReadonlyMap<string, string>
}

type InitialConfig = {
  readonly reading: UncheckedConfig
  readonly result: Exclude<CheckResult, { kind: 'invalid' }>
  /** The configuration without the routers whose values are missing; the ports can be opened with it. */
  readonly usable: Checked
}

async function readInitial<T>(options: ReloadOptions<T>): Promise<InitialConfig> {
  const reading = await readWith(options, new AbortController().signal)
  if (reading.kind === 'unreadable') throw logInvalid(fileError(reading.code), options.logger)
  const result = await reading.check(false)
  const usable = result.kind === 'unfinished' ? await reading.check(true) : result
  await reading.close()
  if (result.kind === 'invalid' || result.kind === 'unreadable') throw logInvalid(errorsOf(result), options.logger)
  if (usable.kind === 'checked') return { reading, result, usable }
  throw logInvalid(usable.kind === 'unfinished' ? fileError('INTERNAL') : errorsOf(usable), options.logger)
}

function errorsOf(result: Exclude<CheckResult, GlConfigCheck> | UnreadableConfig): ValidationErrors {
  return result.kind === 'invalid' ? result.validationErrors : fileError(result.code)
}

function readWith<T>(options: ReloadOptions<T>, signal: AbortSignal): Promise<ReadResult> {
  const { read = readConfig } = options
  return read(options, signal)
}

function logInvalid(validationErrors: ValidationErrors, logger: Logger): ConfigInvalidError {
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
  readonly #lastStamp = new LastStamp()
  readonly #closing = new AbortController()
  #state: ReloadState = { ...NOTHING_APPLIED, reload: { result: 'waiting', time: now(), reason: 'STARTING' } }
  #applied: AppliedConfig | undefined
  /** The last logged failure or wait, which isn't logged again while it lasts. */
  #lastReport = ''
  #unsettled: { readonly key: string; readonly since: number } | undefined
  #checking: Promise<number | undefined> = Promise.resolve(undefined)
  #watch: ConfigWatcher | undefined
  readonly #firstConfig = Promise.withResolvers<void>()

  constructor({ options, timings, work }: ReloadContext<T>, first: Checked, compiled: T) {
    this.#options = options
    this.#timings = timings
    this.#work = work
    this.#missing = new MissingValues(timings.giveUpMissingMs)
    this.settings = first.config.settings
    this.live = createLiveConfig(compiled)
  }

  /** Takes the configuration at the start of the process. */
  async start(reading: UncheckedConfig, result: InitialConfig['result'], compiled: T): Promise<void> {
    if (result.kind === 'checked') await this.#goLive(reading, result, compiled)
    else this.#reportWaiting(reading.fingerprint, result.missing)
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
    await Promise.race([this.#firstConfig.promise, aborted.promise])
    signal?.removeEventListener('abort', abort)
  }

  check(): Promise<number | undefined> {
    this.#checking = this.#checking
      .then(() => this.#check())
      .catch(() => {
        this.#options.logger.error({ code: 'INTERNAL' }, 'configuration could not be reloaded; the running one stays')
        return undefined
      })
    return this.#checking
  }

  watch(): void {
    const { timings = {} } = this.#options
    this.#watch = watchConfig({ ...this.#options, timings, check: () => this.check() })
  }

  async close(): Promise<boolean> {
    this.#closing.abort()
    const limit = new AbortController()
    const ended = this.#ended().then(() => true)
    // Calls must end in order although a reading hangs.
    const late = delay(this.#timings.closeMs, false, { signal: limit.signal }).catch(() => true)
    const hasEnded = await Promise.race([ended, late])
    limit.abort()
    return hasEnded
  }

  async #ended(): Promise<void> {
    await this.#watch?.close()
    await this.#checking
  }

  async #check(): Promise<number | undefined> {
    const { file, secretsDir } = this.#options
    const stamp = await fileStamp(file, secretsDir)
    if (this.#lastStamp.isUnchanged(stamp)) return undefined
    const ageMs = this.#lastStamp.note(stamp, performance.now())
    const reading = await readWith(this.#options, this.#closing.signal)
    const againMs = await this.#applyReading(reading).finally(() => reading.kind === 'read' && reading.close())
    if (againMs === undefined) this.#lastStamp.noteReading(stamp, ageMs)
    return againMs
  }

  async #applyReading(reading: ReadResult): Promise<number | undefined> {
    const { settleMs } = this.#timings
    if (this.#closing.signal.aborted) return undefined
    if (reading.kind === 'unreadable') return this.#reportUnreadable(reading, reading.code)
    const { fingerprint } = reading
    if (fingerprint === this.#applied?.fingerprint) return this.#noteUnchanged(reading.valuesRevision)
    if (this.#lastReport === failureKey(fingerprint)) return undefined // unchanged bytes and values have the same result
    const result = await this.#checkValues(reading)
    if (this.#closing.signal.aborted) return undefined
    switch (result.kind) {
      case 'invalid':
        return this.#reportFailure({ key: fingerprint, reason: 'INVALID', errors: result.validationErrors, settleMs })
      case 'unreadable':
        return this.#reportUnreadable(result, result.retry === 'never' ? fingerprint : result.code)
      case 'unfinished':
        return this.#reportWaiting(fingerprint, result.missing)
      case 'checked':
        return await this.#applyChecked(reading, result)
      default:
        return result satisfies never
    }
  }

  #reportUnreadable({ code, retry }: UnreadableConfig, key: string): number | undefined {
    const { retryMs, settleMs, lostThreadMs } = this.#timings
    if (code === 'DELIVERY_CHANGING') return settleMs // the delivery changed during the reading, which isn't an error
    const waitMs = this.#reportFailure({ key, reason: code, errors: fileError(code), settleMs: retryMs })
    if (waitMs !== undefined || retry === 'never') return waitMs
    return retry === 'soon' ? retryMs : lostThreadMs
  }

  async #checkValues(reading: UncheckedConfig): Promise<CheckResult | UnreadableConfig> {
    const result = await reading.check(false)
    if (result.kind === 'checked') this.#missing.clear()
    if (result.kind !== 'unfinished') return result
    return this.#missing.waitMs(result.missing, performance.now()) > 0 ? result : await reading.check(true)
  }

  /** Notes that the file again holds the running configuration. */
  #noteUnchanged(valuesRevision: string | undefined): undefined {
    const wasAway = this.#state.reload.result !== 'ok'
    if (wasAway) {
      const fields = { digest: this.#state.digest, values_revision: valuesRevision }
      this.#options.logger.info(fields, 'configuration file matches the running configuration again')
    }
    const reload = wasAway ? okResult() : this.#state.reload
    this.#state = { ...this.#state, valuesRevision, reload }
    this.#missing.forgetWaiting(performance.now())
    this.#lastReport = ''
    this.#unsettled = undefined
  }

  /** Logs a failure that lasts `settleMs` after its first occurrence. */
  #reportFailure({ key, reason, errors, settleMs }: ReloadFailure): number | undefined {
    if (this.#lastReport === failureKey(key)) return undefined
    const waitMs = this.#unsettledMs(key, settleMs)
    if (waitMs > 0) return waitMs
    this.#options.logger.error({ validation_errors: errors }, 'configuration file validation failed')
    this.#report(failureKey(key), 'failed', reason)
    return undefined
  }

  #unsettledMs(key: string, settleMs: number): number {
    const at = performance.now()
    if (this.#unsettled?.key !== key) this.#unsettled = { key, since: at }
    return Math.max(0, Math.ceil(this.#unsettled.since + settleMs - at))
  }

  #reportWaiting(key: string, missing: readonly string[]): number {
    const report = `waiting ${key}`
    if (this.#lastReport !== report) {
      const shown = missing.slice(0, MAX_SHOWN_NAMES)
      this.#options.logger.info({ missing: shown, count: missing.length }, 'configuration waits for values')
      this.#report(report, 'waiting', 'VALUES_MISSING')
    }
    return Math.min(this.#timings.retryMs, Math.ceil(this.#missing.waitMs(missing, performance.now())))
  }

  #report(report: string, result: ReloadResult, reason: string): void {
    this.#lastReport = report
    this.#unsettled = undefined
    this.#state = { ...this.#state, reload: { result, time: now(), reason } }
    this.#options.onReport?.(this.#state)
  }

  async #applyChecked(reading: UncheckedConfig, checked: Checked): Promise<number | undefined> {
    const { fingerprint } = reading
    const { config, digest } = checked
    // A value that is being written is empty for a moment and must not cost a router.
    const waitMs = this.#rejectsMore(config) ? this.#unsettledMs(fingerprint, this.#timings.settleMs) : 0
    if (waitMs > 0) return waitMs
    const compiled = this.#options.compile(config, digest, this.#work.begin('reload'))
    const next = await compiled.then((value) => ({ value })).catch(() => undefined)
    if (next !== undefined) return await this.#goLive(reading, checked, next.value)
    const { settleMs } = this.#timings
    return this.#reportFailure({ key: fingerprint, reason: 'INTERNAL', errors: fileError('INTERNAL'), settleMs })
  }

  async #goLive(
    { fingerprint, valuesRevision }: UncheckedConfig,
    { config, digest }: Checked,
    compiled: T,
  ): Promise<undefined> {
    const { logger, onReport } = this.#options
    const slice = this.#work.begin('reload')
    const { activeEntries, ...state } = await appliedState({ config, digest, valuesRevision }, slice)
    const restartFields = changedStaticFields(this.settings, config.settings)
    this.live.swap(compiled)
    const previous = this.#applied ?? { digest: '', activeEntries: new Map() }
    this.#applied = { fingerprint, digest, activeEntries }
    this.#state = { ...state, reload: okResult() }
    this.#lastReport = ''
    this.#unsettled = undefined
    await logApplied({ logger, slice }, config, { previous, next: this.#state, restartFields })
    onReport?.(this.#state, config)
    this.#firstConfig.resolve()
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

function failureKey(key: string): string {
  return `failed ${key}`
}

function okResult(): ReloadState['reload'] {
  return { result: 'ok', time: now(), reason: '' }
}

function now(): string {
  return new Date().toISOString()
}
