import type { Command } from '@llm-gateway/conf'

/** One entry of `services` in ginit_config.json, ready to be started. */
export type ServicePlan = {
  readonly name: string
  readonly command: Command
  readonly environment: NodeJS.ProcessEnv
  /** The service is healthy once a line of its output contains this; empty: as soon as it has started. */
  readonly healthyOutput: string
  readonly startTimeoutMs: number
  /** Between SIGTERM and SIGKILL. */
  readonly stopTimeoutMs: number
  /** What its configuration gives it to end its work, read when it is stopped; it comes before stopTimeoutMs. */
  readonly drainMs?: () => Promise<number>
  /** Everything stops when this one isn't healthy. */
  readonly diePromise: boolean
  /** Its file is watched; undefined: the service reads its changes itself. */
  readonly watchedFile?: string
  /** Exits with 0 when the service would start with its file; undefined: nothing to ask. */
  readonly validation?: Command
}
