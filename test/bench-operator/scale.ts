import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { percentiles } from '../bench/percentiles.ts'
import { cpuSeconds } from '../bench/process-cost.ts'
import { startApiServer } from '../fake/api-server.ts'
import { readAuditLog } from '../fake/audit-log.ts'
import { type Program, startProgram } from '../fake/program.ts'
import { createAdmin } from '../operator/admin.ts'
import { inParallel, until } from '../operator/wait.ts'
import { watchConfig } from './config-watch.ts'

const ROOT = join(import.meta.dirname, '../..')
const SYSTEM = 'llm-gateway-system'
const OPERATOR = 'llm-gateway-operator'
const NS = 'bench'
const SECRETS = 100
const AT_ONCE = 16
/** Interval of the edits: an edit within a second of the last nudge waits for the next nudge. */
const EDIT_EVERY_MS = 2_000

export type ScaleOptions = {
  /** Numbers of Routers, one measurement each. */
  readonly counts: readonly number[]
  readonly edits?: number
  readonly restMs?: number
  /** Node's flags; unset takes those of operator/deploy/workload.yaml. */
  readonly flags?: readonly string[]
}

/** Measures the operator's cost by the number of Routers, on a real API server without nodes. */
export async function measureScale(options: ScaleOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-operator-'))
  const bundle = join(folder, 'operator.mjs')
  execFileSync(process.execPath, [join(ROOT, 'operator/bundle/main.ts'), bundle])
  try {
    for (const count of options.counts) await measure(count, bundle, options)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function measure(count: number, bundle: string, options: ScaleOptions): Promise<void> {
  const { edits = 60, restMs = 60_000, flags = ['--max-semi-space-size=2', '--heap-growing-percent=30'] } = options
  await using server = await startApiServer({ audit: true })
  const admin = createAdmin(server)
  const kubectl = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await server.kubectl(args)
    if (code !== 0) throw new Error(stderr)
  }
  await kubectl('apply', '-f', join(ROOT, 'crds/manifests'))
  await kubectl('wait', '--for=condition=Established', 'crd', '--all')
  for (const file of ['rbac.yaml', 'cluster-role.yaml', 'admission.yaml'])
    await kubectl('apply', '-f', join(ROOT, 'operator/deploy', file))
  await kubectl('create', 'namespace', NS)
  const names = Array.from({ length: count }, (_, index) => `r${index}`)
  const secrets = Array.from({ length: SECRETS }, (_, index) => secretOf(index))
  await inParallel([...secrets, gateway(), ...names.map(routerOf)], AT_ONCE, (object) => admin.apply(object))
  const kubeconfig = await server.createServiceAccountKubeconfig(SYSTEM, OPERATOR)
  const config = watchConfig(server, NS, 'main')
  const writes = (): number => writesIn(readAuditLog(server.auditLog))
  const printFigure = (what: string, value: string): void => console.log(`${count} Routers: ${what}: ${value}`)

  const start = (): Promise<Program> =>
    startProgram({
      command: process.execPath,
      args: [...flags, bundle, '--kubeconfig', kubeconfig, '--port', '0', '--image', 'llm-gateway:test'],
      environment: { PATH: '/usr/local/bin:/usr/bin:/bin', POD_NAME: 'bench' },
    })
  const isComplete = async (): Promise<boolean | undefined> => {
    const main = await admin.get({ kind: 'LLMGateway', namespace: NS, name: 'main' })
    return JSON.stringify(main?.status ?? {}).includes(`"attached":${count}`) ? true : undefined
  }
  const began = performance.now()
  let operator = await start()
  let peak = 0
  const watching = setInterval(() => {
    peak = Math.max(peak, resident(operator.pid))
  }, 100)
  try {
    const whole = await config.first((text) => text.split('"path"').length > count)
    printFigure('start → complete gl_config', `${((whole.at - began) / 1000).toFixed(1)} s`)
    await until('the last status', isComplete, { withinMs: 300_000, everyMs: 200 })
    const routers = await admin.list('Router', NS)
    const judged = routers.filter(({ status }) => JSON.stringify(status ?? {}).includes('"Programmed"')).length
    printFigure('start → last status', `${((performance.now() - began) / 1000).toFixed(1)} s (${judged} judged)`)

    printFigure('CPU until then', `${(await cpuSeconds([operator.pid])).toFixed(1)} s`)

    const lags: number[] = []
    for (let serial = 1; serial <= edits; serial += 1) {
      const next = pause(EDIT_EVERY_MS)
      const name = names[(serial * 37) % count] ?? ''
      const patched = performance.now()
      const patch = { spec: { outbound: { headers: { 'X-Serial': [`edit-${serial}`] } } } }
      await admin.merge({ kind: 'Router', namespace: NS, name }, patch)
      lags.push((await config.first((text) => text.includes(`edit-${serial}"`))).at - patched)
      await next
    }
    const { p50, p99, max } = percentiles(lags)
    printFigure(
      `${lags.length} edits → in the ConfigMap, p50 / p99 / max`,
      `${[p50, p99, max].map(Math.round).join(' / ')} ms`,
    )
    printFigure('resident after that / most', `${Math.round(resident(operator.pid))} / ${Math.round(peak)} MB`)

    await until('rest', () => isQuiet(writes), { withinMs: 120_000 })
    await operator.stop(20_000)
    const before = writes()
    operator = await start()
    await pause(restMs)
    printFigure(`writes within ${restMs / 1000} s after a restart with nothing changed`, String(writes() - before))
    printFigure('resident at rest', `${Math.round(resident(operator.pid))} MB`)
  } finally {
    clearInterval(watching)
    await operator.stop(20_000)
    config.close()
    admin.close()
  }
}

function gateway(): object {
  return {
    apiVersion: 'llmgateway.io/v1alpha1',
    kind: 'LLMGateway',
    metadata: { name: 'main', namespace: NS },
    spec: {},
  }
}

function secretOf(index: number): object {
  const metadata = { name: `keys-${index}`, namespace: NS }
  return { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { caller: `caller-${index}`, own: `own-${index}` } }
}

function routerOf(name: string, index: number): object {
  const from = (key: string) => ({ secretKeyRef: { name: `keys-${index % SECRETS}`, key } })
  const headers = { 'Content-Type': ['application/json'] }
  return {
    apiVersion: 'llmgateway.io/v1alpha1',
    kind: 'Router',
    metadata: { name, namespace: NS },
    spec: {
      gatewayRef: { name: 'main' },
      path: `/${NS}/${name}/`,
      ingress: { headers: { ...headers, 'Api-Key': ['${CALLER}'] } },
      outbound: { url: 'https://res.openai.example/', headers: { ...headers, 'Api-Key': ['${OWN}'] } },
      env: [
        { name: 'CALLER', valueFrom: from('caller') },
        { name: 'OWN', valueFrom: from('own') },
      ],
    },
  }
}

/** Returns the resident memory in MB. */
function resident(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024) / 1e6
}

/** Counts the operator's writes without those of its lease, which is renewed all the time. */
function writesIn(auditLog: readonly string[]): number {
  const user = `system:serviceaccount:${SYSTEM}:${OPERATOR}`
  return auditLog.filter(
    (line) => line.includes(user) && !/"verb":"(get|list|watch)"/.test(line) && !line.includes('"leases"'),
  ).length
}

async function isQuiet(count: () => number): Promise<true | undefined> {
  const before = count()
  await pause(5_000)
  return count() === before ? true : undefined
}
