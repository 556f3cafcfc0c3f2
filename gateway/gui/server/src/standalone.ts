import { setTimeout as delay } from 'node:timers/promises'
import type { GuiConfig, ProgramPlaces } from '@llm-gateway/conf'
import type { FileName } from '@llm-gateway/gui-api'
import type { Edition, EditionDoors } from './edition.ts'
import { Archive } from './files/archive.ts'
import { Desk } from './files/desk.ts'
import { DraftStore } from './files/draft-store.ts'
import { readText } from './files/file-text.ts'
import { knownFiles, ownFolder } from './files/known-files.ts'
import type { Surroundings } from './files/surroundings.ts'
import { ChartRecorder, followCharts } from './live/chart-recorder.ts'
import { askMetrics, askStatus, gatewayPlace } from './live/gateway-client.ts'
import { awaitRestart, readServiceStates } from './live/service-states.ts'
import { fileRoutes, watchRoutes } from './routes.ts'
import { prepareByFile, tryRoute } from './trying/try-call.ts'

export type StandaloneDoors = EditionDoors & {
  /** gui_config.json */
  readonly file: string
  readonly places: ProgramPlaces
  readonly surroundings: () => Promise<Surroundings>
}

/** One source of truth, the files of this machine. */
export function standaloneEdition(
  { file, places, surroundings, ...doors }: StandaloneDoors,
  config: GuiConfig,
): Edition {
  const { environment, signal, source, now, version } = doors
  const files = knownFiles(file, config, places)
  const folder = ownFolder(config.working_directory, files, 'working')
  const archive = new Archive(ownFolder(config.archive_directory, files, 'archive'))
  const drafts = new DraftStore(folder)
  const desk = new Desk({ files, drafts, archive, surroundings, now })
  const textOf = async (name: FileName) => {
    const known = files.get(name)
    return known === undefined ? undefined : (await readText(known.live))?.text
  }
  const liveText = () => textOf('gl_config.json')
  const place = async () => gatewayPlace(await liveText(), await surroundings())
  const deploy = {
    archive,
    drafts,
    folder,
    environment,
    surroundings,
    status: async () => askStatus(await place()),
    restarted: (service: string, sinceMs: number) => awaitRestart(environment.SERVICES_STATE, service, sinceMs),
    now,
    wait: (ms: number) => delay(ms),
  }
  const charts = new ChartRecorder()
  followCharts(charts, { signal, now, read: async () => askMetrics(await place()) })
  const services = () => readServiceStates(environment.SERVICES_STATE)
  const overview = { version, surroundings, liveText: textOf, bus: source, services }
  return {
    name: 'standalone',
    routes: [
      ...fileRoutes({ desk, deploy }),
      tryRoute(prepareByFile({ liveText, surroundings })),
      ...watchRoutes({ overview, charts, now }),
    ],
    ready: async () => true,
    close: async () => undefined,
  }
}
