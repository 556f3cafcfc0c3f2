import type { Environment, GuiConfig, Logger } from '@llm-gateway/conf'
import type { Edition as EditionName } from '@llm-gateway/gui-api'
import type { BytesRoute, Route } from './answer.ts'
import type { RecordSource } from './transactions/record-source.ts'

/** Finds the file that records are written to; undefined if there is none. Never rejects. */
export type RecordFilePath = () => Promise<string | undefined>

/** An edition's part of the web interface; login, page and transactions are the same in both. */
export type Edition = {
  readonly name: EditionName
  /** The records of the bus, else of nats2file's file. The interface starts and closes this source. */
  readonly source: RecordSource
  readonly routes: readonly Route[]
  /** Routes that read their bodies themselves. */
  readonly bytesRoutes: readonly BytesRoute[]
  /** True when the edition has its content to show, for the readiness probe. */
  ready(): Promise<boolean>
  close(): Promise<void>
}

/** The dependencies of both editions. */
export type EditionDependencies = {
  readonly environment: Environment
  readonly logger: Logger
  readonly version: string
  readonly openRecords: (file: RecordFilePath) => RecordSource
  /** Returns gui_config.json as last read. */
  readonly current: () => GuiConfig
  /** Returns GUI_SECRET and NATS_TOKEN: no answer may show them. */
  readonly ownSecrets: () => readonly string[]
  /** Unix milliseconds. */
  readonly now: () => number
  readonly signal: AbortSignal
}
