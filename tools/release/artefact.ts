import type { Publishing } from './source/publishing.ts'

/** What each maker of artefacts is given. Paths are absolute. */
export type Workshop = {
  /** The commit's files with the release's version and names in them. */
  readonly stage: string
  /** A folder for what is in between; it goes when the release is made. */
  readonly scratch: string
  /** The release's folder, which artefacts are written into. */
  readonly out: string
  readonly version: string
  /** Seconds since 1970. */
  readonly epoch: number
  readonly names: Publishing
  readonly environment: NodeJS.ProcessEnv
  readonly say: (line: string) => void
}
