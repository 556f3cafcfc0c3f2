import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { runHelm } from '../../tools/helm/helm.ts'
import versions from '../../tools/versions.json' with { type: 'json' }
import { CHART, ROOT } from './chart-scene.ts'

const FOLDER = join(import.meta.dirname, 'matrix')
/** The namespace of the cases. */
export const NAMESPACE = 'chart'
export const RELEASE = 'gw'

/** Returns the names of the values files in `matrix/`, without their endings. */
export function matrixCases(): readonly string[] {
  return globSync('*.yaml', { cwd: FOLDER })
    .map((file) => basename(file, '.yaml'))
    .sort()
}

export function valuesFile(name: string): string {
  return join(FOLDER, `${name}.yaml`)
}

/** Renders the chart with helm and these arguments. */
export function template(args: readonly string[]): ReturnType<typeof runHelm> {
  const where = ['-n', NAMESPACE, '--kube-version', versions.cluster.kubernetes]
  return runHelm(ROOT, ['template', RELEASE, CHART, ...where, ...args])
}
