import { controlPlane } from './control-plane.ts'
import { dashboard } from './dashboard.ts'
import { overview } from './overview.ts'
import { processors } from './processors.ts'
import { records } from './records.ts'
import { router } from './router.ts'
import { rulesFile } from './rules-file.ts'

export type GeneratedFile = {
  /** The path from the root of the checkout. */
  readonly path: string
  readonly text: string
}

const FILES = 'charts/llm-gateway/files'
export const RULES_FILE = `${FILES}/alerts.yaml`
const DASHBOARDS = [overview, router, processors, records, controlPlane]

/** Returns the chart's files that are generated here. */
export function generatedFiles(): readonly GeneratedFile[] {
  return [
    ...DASHBOARDS.map((plan) => ({
      path: `${FILES}/dashboards/${plan.name}.json`,
      text: `${JSON.stringify(dashboard(plan), undefined, 2)}\n`,
    })),
    { path: RULES_FILE, text: rulesFile() },
  ]
}
