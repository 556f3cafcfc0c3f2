import type { Publishing } from './source/publishing.ts'

/** The inputs of each maker of artefacts. Paths are absolute. */
export type ReleaseBuild = {
  /** The commit's files with the release's version and names. */
  readonly stage: string
  /** A folder for intermediate files, removed at the end. */
  readonly scratch: string
  /** The release's folder, into which artefacts are written. */
  readonly out: string
  readonly version: string
  /** Seconds since 1970. */
  readonly epoch: number
  readonly names: Publishing
  readonly environment: NodeJS.ProcessEnv
  readonly say: (line: string) => void
}
