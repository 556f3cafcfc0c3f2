#!/usr/bin/env node
import { randomUUID } from 'node:crypto'
import { createLogger } from '@llm-gateway/conf'
import { loadKubeAccess } from '@llm-gateway/kube'
import packageFile from '../package.json' with { type: 'json' }
import { parseOperatorCommand } from './command-line.ts'
import type { CommandOutcome } from './commands/run-render.ts'
import { startHealthPort } from './health-port.ts'
import { candidate } from './lease/candidate.ts'
import { startOperator } from './operator.ts'
import { ownAccount } from './self/own-account.ts'

process.exit(await main())

async function main(): Promise<number> {
  const command = parseOperatorCommand(process.argv.slice(2), packageFile.version, process.env)
  switch (command.kind) {
    case 'version':
      process.stdout.write(`${packageFile.version}\n`)
      return 0
    case 'help':
      process.stdout.write(`${command.message}\n`)
      return 0
    case 'usage':
      process.stderr.write(`${command.message}\n`)
      return 1
    case 'run':
      return run(command)
    // Loaded on demand: the YAML package takes 14 MB that a running operator doesn't need.
    case 'render': {
      const { runRender } = await import('./commands/run-render.ts')
      return printOutcome(runRender(command))
    }
    case 'import': {
      const { runImport } = await import('./commands/run-import.ts')
      return printOutcome(runImport(command))
    }
    case 'crds apply': {
      const { runCrdsApply } = await import('./commands/run-crds-apply.ts')
      return printOutcome(await runCrdsApply(await loadKubeAccess(command.kubeconfig, process.env)))
    }
    default:
      return command satisfies never
  }
}

async function printOutcome({ code, stdout, stderr }: CommandOutcome): Promise<number> {
  await writeText(process.stderr, stderr)
  await writeText(process.stdout, stdout)
  return code
}

/** Waits until the stream has taken the text, since the process ends afterwards. A closed reader is no error. */
function writeText(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.once('error', () => resolve())
    stream.write(text, () => resolve())
  })
}

/** Runs the operator until SIGTERM or SIGINT. */
async function run({
  kubeconfig,
  image,
  gatewayClass,
  port,
  leaderElect,
  watchNamespaces,
  leaseName,
  podLabels,
  webReadRole,
}: RunCommand): Promise<number> {
  const logger = createLogger({ service: 'operator' })
  // The process ends at once: a leader that lost its lease does nothing more, not even an orderly stop.
  const lost = (): void => process.exit(1)
  const access = await loadKubeAccess(kubeconfig, process.env)
  const account = await ownAccount(access)
  const { POD_NAME = '', POD_NAMESPACE = '' } = process.env
  const environment = { POD_NAME, POD_NAMESPACE, accountNamespace: account?.namespace }
  const candidacy = candidate(environment, randomUUID(), { gatewayClass, leaseName })
  logger.info({ account: account?.user, lease: candidacy.lease }, 'operator starts')
  const operator = startOperator({
    access,
    podAccess: kubeconfig === undefined ? 'direct' : 'proxy',
    reachesBuses: kubeconfig === undefined,
    gatewayClass,
    defaultImage: image,
    operatorNamespace: candidacy.lease.namespace,
    operatorLabels: podLabels,
    webReadRole,
    logger,
    watchNamespaces,
    ...(leaderElect ? { candidacy: { ...candidacy, lost } } : {}),
  })
  const health = await startHealthPort({ port, ready: () => operator.ready, metrics: () => operator.metrics.render() })
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
  await operator.close()
  await health.close()
  return 0
}

type RunCommand = Extract<ReturnType<typeof parseOperatorCommand>, { kind: 'run' }>
