import { apiPage } from './api-page.ts'
import { crdPages } from './crd-pages.ts'
import { errorsPage } from './errors-page.ts'
import { metricsPage } from './metrics-page.ts'
import { processorSettingsPage } from './processor-settings-page.ts'
import { settingsPages } from './settings-page.ts'
import { variablesPage } from './variables-page.ts'

/** Returns every generated page of docs/reference by its file name. */
export function generatedPages(): ReadonlyMap<string, string> {
  return new Map([
    ...settingsPages(),
    ...crdPages(),
    ['errors.md', errorsPage()],
    ['metrics.md', metricsPage()],
    ['environment-variables.md', variablesPage()],
    ['processor-settings.md', processorSettingsPage()],
    ['web-api.md', apiPage()],
  ])
}
