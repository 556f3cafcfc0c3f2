import type { GuiConfig, ProgramFolders } from '@llm-gateway/conf'
import type { Edition, EditionDependencies } from './edition.ts'
import { PART_FILES } from './file-work/file-parts.ts'
import { FileWork } from './file-work/file-work.ts'
import { knownFiles } from './files/known-files.ts'
import { ChartRecorder, followCharts } from './live/chart-recorder.ts'
import { fetchSamples } from './live/gateway-client.ts'
import { COUNTED_METRICS } from './live/router-counts.ts'
import { readServiceStates } from './live/service-states.ts'
import { watchRoutes } from './routes.ts'
import { tryRoute } from './trying/try-call.ts'

export type StandaloneDependencies = EditionDependencies & {
  /** gui_config.json */
  readonly file: string
  readonly places: ProgramFolders
}

/** Starts the edition whose source of truth is the files of this machine. */
export async function standaloneEdition(dependencies: StandaloneDependencies, config: GuiConfig): Promise<Edition> {
  const { environment, signal, now, version } = dependencies
  const files = fileWork(dependencies, config)
  await files.clean()
  const source = dependencies.openRecords(() => recordFile(files))
  const charts = new ChartRecorder()
  followCharts(charts, {
    signal,
    now,
    read: async (take) => {
      const { admin } = (await files.parts()).place
      return admin !== undefined && (await fetchSamples({ url: `${admin}/metrics`, names: COUNTED_METRICS, take }))
    },
  })
  const services = () => readServiceStates(environment.SERVICES_STATE)
  const overview = { version, parts: () => files.parts(), bus: source, services }
  return {
    name: 'standalone',
    source,
    routes: [tryRoute((router) => files.call(router)), ...watchRoutes({ overview, charts, now })],
    bytesRoutes: files.routes(),
    ready: async () => true,
    close: () => files.close(),
  }
}

/** Finds the file that nats2file writes to. Never rejects. */
async function recordFile(files: FileWork): Promise<string | undefined> {
  const parts = await files.parts().catch(() => undefined)
  return parts?.sinks.find(({ name }) => name === 'nats2file')?.target ?? undefined
}

function fileWork(
  { file, environment, places, logger }: StandaloneDependencies,
  { services, working_directory, archive_directory }: GuiConfig,
): FileWork {
  const config = { services, working_directory, archive_directory }
  const known = knownFiles(file, config, places)
  const { node, folders } = places
  return new FileWork({
    // `process.env` can't be posted to a thread, so its variables are copied.
    order: { file, config, environment: { ...environment }, node, folders },
    partFiles: PART_FILES.flatMap((name) => known.get(name)?.live ?? []),
    logger,
  })
}
