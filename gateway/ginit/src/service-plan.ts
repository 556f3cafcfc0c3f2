import type { Command } from '@llm-gateway/conf'

/** An entry of `services` in ginit_config.json, ready to be started. */
export type ServicePlan = {
  readonly name: string
  readonly command: Command
  readonly environment: NodeJS.ProcessEnv
  /** The part of an output line that shows the service healthy; empty where a started service counts as healthy. */
  readonly healthyOutput: string
  readonly startTimeoutMs: number
  /** The milliseconds between SIGTERM and SIGKILL. */
  readonly stopTimeoutMs: number
  /**
   * Returns the milliseconds that the service's configuration gives it to end its work, read at its stop; they precede
   * stopTimeoutMs.
   */
  readonly drainMs?: () => Promise<number>
  /** True where all services stop once this service ends or doesn't become healthy. */
  readonly diePromise: boolean
  /** True where the service waits, and the others run, once it failed too often. */
  readonly isOptional: boolean
  /** The file whose changes restart the service; undefined where the service reads changes itself. */
  readonly watchedFile?: string
  /** Exits with 0 when the service would start with its file; undefined where the service has no validation. */
  readonly validation?: Command
}
