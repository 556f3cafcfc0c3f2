import type { ProcessorContext, RunningProcessor } from './definition.ts'
import { failureOf, SettingsError } from './failure.ts'
import { rejectSettings, type SettingsPlace, settingsRoot } from './load-settings.ts'

/** Starts a processor by its definition; undefined, with the reason logged, where that fails. */
export async function createProcessor<Settings extends object>(
  place: SettingsPlace<Settings>,
  settings: Settings,
  context: ProcessorContext,
): Promise<RunningProcessor | undefined> {
  try {
    return await place.definition.create(settings, context)
  } catch (error) {
    if (error instanceof SettingsError) {
      const root = settingsRoot(place.definition)
      const reasons = Object.entries(error.reasons).map(([path, reason]) => [`${root}.${path}`, reason])
      return rejectSettings(place, Object.fromEntries(reasons))
    }
    place.logger.error(failureOf(error), 'processor not started')
    return undefined
  }
}
