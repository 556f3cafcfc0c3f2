import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { waitUntil } from '../setup/wait-until.ts'
import { apiRequest } from './api-request.ts'
import { createControlPlane } from './control-plane.ts'
import { POD_RANGE } from './control-plane-argv.ts'
import { dnsObjects } from './dns-objects.ts'
import { nodeFiles } from './node-files.ts'
import {
  containerdSocket,
  DNS_IMAGE,
  NODE_ADDRESS,
  NODE_NAME,
  type NodePlan,
  type NodeReady,
  PAUSE_IMAGE,
  type Phase,
} from './node-plan.ts'
import { makeOwnMachine, runOrThrow } from './own-machine.ts'
import { writeProgramImage } from './program-image.ts'
import { createService, type Service } from './service.ts'

/** Starts a one-node cluster inside this process's namespaces; writes `ready.json` when it works. */
export async function runNode(plan: NodePlan): Promise<void> {
  const { folder, programs } = plan
  const environment = { ...programs.environment, HOME: folder }
  const phases: Phase[] = []
  const phase = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    const began = performance.now()
    const result = await act()
    phases.push({ name, seconds: Math.round((performance.now() - began) / 10) / 100 })
    return result
  }
  const service = (name: string, argv: readonly string[], ready: () => Promise<boolean>): Service =>
    createService({ name, argv, log: join(folder, 'log', `${name}.log`), environment, ready })

  const snapshotter = await phase('network, mounts', () => makeOwnMachine(folder))
  const plane = await phase('certificates', () =>
    createControlPlane({
      bin: plan.bin,
      folder,
      listen: '0.0.0.0',
      advertise: NODE_ADDRESS,
      ports: { api: 6443, etcd: 2379, peer: 2380 },
      controllers: true,
      audit: plan.audit,
      flags: [],
      environment,
    }),
  )
  const authority = plane.certificates.authority.certificate
  for (const [name, text] of Object.entries(nodeFiles(plan, { authority, snapshotter }))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const containerd = service('containerd', ['containerd', '--config', join(folder, 'containerd.toml')], () =>
    answers(folder, environment),
  )
  await Promise.all([
    phase('etcd, API server', async () => {
      await plane.etcd.start()
      await plane.apiServer.start()
    }),
    phase('containerd, images', async () => {
      await containerd.start()
      await importOwnImages(plan, environment)
    }),
  ])

  const started = async () => true
  const node = `--hostname-override=${NODE_NAME}`
  const admin = `--kubeconfig=${plane.kubeconfig}`
  await phase('node ready', async () => {
    await plane.controllers.start()
    await plane.scheduler.start()
    await service('kubelet', [...kubeletArgv(plan), node, admin], started).start()
    await service('proxy', [...proxyArgv(plan), node, admin], started).start()
    await runOrThrow(`${plan.bin}/kubectl`, [admin, 'apply', '-f', writeJson(folder, 'dns.json', dnsObjects())], {
      environment,
    })
    await waitUntil('the node is ready', () => isTrue(plane.access, `/api/v1/nodes/${NODE_NAME}`, 'Ready'))
  })
  await phase('DNS ready', () =>
    waitUntil('DNS answers', () =>
      isTrue(plane.access, '/apis/apps/v1/namespaces/kube-system/deployments/coredns', 'Available'),
    ),
  )
  const ready: NodeReady = { phases }
  renameSync(writeJson(folder, 'ready.json.half', ready), join(folder, 'ready.json'))
}

function kubeletArgv({ bin, folder }: NodePlan): readonly string[] {
  return [
    `${bin}/kubelite`,
    'kubelet',
    `--config=${folder}/kubelet.json`,
    `--node-ip=${NODE_ADDRESS}`,
    `--root-dir=${folder}/kubelet`,
  ]
}

function proxyArgv({ bin }: NodePlan): readonly string[] {
  return [
    `${bin}/kubelite`,
    'kube-proxy',
    '--proxy-mode=iptables',
    `--cluster-cidr=${POD_RANGE}`,
    // 0 leaves these settings of the whole machine unchanged.
    '--conntrack-max-per-core=0',
    '--conntrack-tcp-timeout-established=0s',
    '--conntrack-tcp-timeout-close-wait=0s',
  ]
}

async function importOwnImages({ bin, folder }: NodePlan, environment: NodeJS.ProcessEnv): Promise<void> {
  const images = [
    { program: `${bin}/pause`, name: PAUSE_IMAGE, out: join(folder, 'pause.tar') },
    { program: `${bin}/coredns`, name: DNS_IMAGE, out: join(folder, 'coredns.tar') },
  ]
  for (const image of images) {
    writeProgramImage(image)
    const where = ['-a', containerdSocket(folder), '-n', 'k8s.io']
    await runOrThrow('ctr', [...where, 'images', 'import', image.out], { environment })
    rmSync(image.out)
  }
}

async function answers(folder: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    await runOrThrow('ctr', ['-a', containerdSocket(folder), 'version'], { environment, timeoutMs: 2_000 })
    return true
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

async function isTrue(access: Parameters<typeof apiRequest>[0], path: string, type: string): Promise<boolean> {
  const { status, body } = await apiRequest(access, path)
  if (status !== 200) return false
  const conditions: readonly { type: string; status: string }[] = JSON.parse(body).status?.conditions ?? []
  return conditions.some((condition) => condition.type === type && condition.status === 'True')
}

function writeJson(folder: string, name: string, value: object): string {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(value))
  return file
}
