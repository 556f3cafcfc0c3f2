import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CHECKOUT } from '../starting/started-under-test.ts'

export type ComposeService = {
  readonly image: string
  readonly command: readonly string[] | null
  readonly environment?: Readonly<Record<string, string>>
  readonly user?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly ports?: readonly { readonly published: string; readonly target: number; readonly host_ip?: string }[]
  readonly volumes?: readonly { readonly type: string; readonly source: string; readonly target: string }[]
  readonly healthcheck?: { readonly test: readonly string[] }
}
export type ComposeProject = {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly configs?: Readonly<Record<string, { readonly content: string }>>
}

export const WITH = {
  nothing: [],
  elasticsearch: ['compose.elasticsearch.yaml'],
  prometheus: ['compose.prometheus.yaml'],
} as const
export const SECRETS = { NATS_TOKEN: 'a token', GUI_SECRET: 'a password', GRAFANA_PASSWORD: 'another' } as const

/** Compose's own reader of its files, built by tools/targets. */
const PROGRAM = join(CHECKOUT, '.tools/targets/compose-config')
const run = promisify(execFile)

export const whyNoCompose = existsSync(PROGRAM) ? false : 'no compose-config: run make targets'

/** Reads compose.yaml and further files with Compose; rejects with Compose's error. */
export async function composeProject(
  beside: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ComposeProject> {
  const { stdout } = await run(PROGRAM, [import.meta.dirname, 'compose.yaml', ...beside], {
    env: environment,
    cwd: import.meta.dirname,
  })
  return JSON.parse(stdout)
}

export function serviceOf({ services }: ComposeProject, name: string): ComposeService {
  const service = services[name]
  assert.ok(service, `no service ${name}`)
  return service
}
