import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runHelm } from '../../helm/helm.ts'
import type { ReleaseBuild } from '../artefact.ts'

const CHARTS = ['llm-gateway', 'llm-gateway-crds'] as const
const MANIFESTS = 'crds/manifests'

/** Writes `<chart>-<version>.tgz` of each chart; helm 4 gives an archive's files the times of the staged files. */
export async function packCharts({ stage, out }: ReleaseBuild): Promise<void> {
  for (const chart of CHARTS) {
    const { code, stdout, stderr } = await runHelm(stage, [
      'package',
      join(stage, 'charts', chart),
      '--destination',
      out,
    ])
    if (code !== 0) throw new Error(`release: helm package ${chart} failed: ${stderr || stdout}`)
  }
}

/** Writes `llm-gateway-crds-<version>.yaml`: the CRDs as one file for `kubectl apply --server-side`. */
export function writeDefinitions({ stage, out, version }: ReleaseBuild): void {
  const folder = join(stage, MANIFESTS)
  const texts = readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'))
  writeFileSync(join(out, `llm-gateway-crds-${version}.yaml`), texts.join('---\n'))
}
