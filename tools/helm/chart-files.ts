import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chartReadme } from './chart-readme.ts'
import { valuesSchema } from './values-schema.ts'

const CHART = 'charts/llm-gateway'
const CRDS_CHART = 'charts/llm-gateway-crds'
/** helm installs `crds/` only once; templates can read only `files/`. */
const DEFINITIONS = [`${CHART}/crds`, `${CRDS_CHART}/files`] as const
/** The image's Node runs these files unchanged. Their copies aren't sources of the checkout, hence the other ending. */
const DEMO = ['main.ts', 'demo-llm.ts', 'demo-answer.ts', 'completion.ts'] as const

/** Returns the generated files of the charts: path from the root → text. */
export function chartFiles(root: string): ReadonlyMap<string, string> {
  const read = (...path: readonly string[]): string => readFileSync(join(root, ...path), 'utf8')
  const manifests = readdirSync(join(root, 'crds/manifests')).map(
    (file) => [file, read('crds/manifests', file)] as const,
  )
  return new Map([
    ...DEFINITIONS.flatMap((folder) => manifests.map(([file, text]) => [`${folder}/${file}`, text] as const)),
    ...DEMO.map((file) => [`${CHART}/files/demo-llm/${file}.txt`, read('tools/demo-llm', file)] as const),
    [`${CHART}/values.schema.json`, `${JSON.stringify(valuesSchema(root), undefined, 1)}\n`],
    [`${CHART}/README.md`, chartReadme(join(root, CHART))],
    [`${CRDS_CHART}/README.md`, chartReadme(join(root, CRDS_CHART))],
    [`${CHART}/Chart.yaml`, withIcon(read(CHART, 'Chart.yaml'), read(CHART, 'icon.svg'))],
  ])
}

/** Sets a chart's icon to a data URL, which needs no server. */
function withIcon(chart: string, icon: string): string {
  const line = `icon: data:image/svg+xml;base64,${Buffer.from(icon.trim()).toString('base64')}\n`
  return chart.replace(/^icon: .*\n/m, line)
}
