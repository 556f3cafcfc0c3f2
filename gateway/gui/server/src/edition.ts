import type { Environment, GuiConfig, Logger } from '@llm-gateway/conf'
import type { Edition as EditionName } from '@llm-gateway/gui-api'
import type { BytesRoute, Route } from './answer.ts'
import type { RecordSource } from './transactions/record-source.ts'

/** The file that records are written to; undefined: there is none. Never rejects. */
export type RecordFilePath = () => Promise<string | undefined>

/** What an edition adds to what both have: login, page, transactions. */
export type Edition = {
  readonly name: EditionName
  /** Records of the bus and of what it has beside it; the interface starts and closes it. */
  readonly source: RecordSource
  readonly routes: readonly Route[]
  /** Those that read their bodies themselves. */
  readonly bytesRoutes: readonly BytesRoute[]
  /** Whether what it shows is there. */
  ready(): Promise<boolean>
  close(): Promise<void>
}

/** What both editions stand on. */
export type EditionDependencies = {
  readonly environment: Environment
  readonly logger: Logger
  readonly version: string
  readonly openRecords: (file: RecordFilePath) => RecordSource
  /** gui_config.json as it was read last. */
  readonly current: () => GuiConfig
  /** GUI_SECRET and NATS_TOKEN: no answer may show them. */
  readonly ownSecrets: () => readonly string[]
  /** Unix milliseconds. */
  readonly now: () => number
  readonly signal: AbortSignal
}
