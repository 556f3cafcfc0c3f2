import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type Authority, createAuthority } from '../fake/certificates.ts'
import { type ExampleCommands, exampleCommands } from './example-readme.ts'
import { IMAGE, type KubeScene, startBareScene } from './kube-scene.ts'
import { llmApiObjects, MODELS, WORLD_HOSTS } from './llm-apis-manifest.ts'

const ROOT = join(import.meta.dirname, '../..')
export const EXAMPLES = join(ROOT, 'examples')
const NS = 'llm'
/** The placeholder of the LLM API's key in the READMEs. */
export const KEY_PLACEHOLDER = 'YOUR-KEY'
const COMMAND_MS = 300_000
/** The gateway's address in the READMEs, a forwarded port. */
const FORWARDED = '127.0.0.1:5380'
const AUTHORITY = 'test-authority'
const TRUST = JSON.stringify({ caRefs: [{ name: AUTHORITY, key: 'ca.crt' }] })

export type Json = ReturnType<typeof JSON.parse>
export type LlmApiCall = { readonly host: string; readonly url: string; readonly keys: readonly string[] }

/** A cluster with the gateway of `examples/README.md`, and fakes of the LLM APIs under their real names. */
export type ExampleScene = {
  readonly kube: KubeScene
  /** Runs a command with `sh` and returns its output. Rejects if it fails. */
  run(command: string): Promise<string>
  /** Applies an example as its README says. Returns the remaining commands. */
  setUp(folder: string): Promise<ExampleCommands>
  /** Returns the calls that the LLM APIs answered, latest last. */
  seen(): Promise<readonly LlmApiCall[]>
  close(): Promise<void>
}

export async function startExampleScene(environment: NodeJS.ProcessEnv): Promise<ExampleScene> {
  const authority = await createAuthority()
  const kube = await startBareScene(environment)
  const close = async (): Promise<void> => {
    await Promise.all([kube.close(), authority.close()])
  }
  try {
    await startLlmApis(kube, authority)
    return { ...(await installGateway(kube, authority)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function startLlmApis(kube: KubeScene, authority: Authority): Promise<void> {
  const tls = await authority.issue('llm-apis', { alternativeNames: WORLD_HOSTS.map((host) => `DNS:${host}`) })
  await kube.apply(...llmApiObjects(IMAGE, tls, KEY_PLACEHOLDER))
  const where = ['-n', MODELS, 'get', 'service', 'world', '-o', 'jsonpath={.spec.clusterIP}']
  await nameWorldHosts(kube, await kube.kubectl(where))
  await kube.rolledOut(MODELS, 'llm-apis')
}

/** Makes pods resolve the names of the real LLM APIs to the fakes. */
async function nameWorldHosts(kube: KubeScene, address: string): Promise<void> {
  const map = JSON.parse(await kube.kubectl(['-n', 'kube-system', 'get', 'configmap', 'coredns', '-o', 'json']))
  const hosts = `  hosts {\n    ${address} ${WORLD_HOSTS.join(' ')}\n    fallthrough\n  }\n`
  const Corefile = String(map.data.Corefile).replace('.:53 {\n', `.:53 {\n${hosts}`)
  await kube.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: place('coredns', 'kube-system'),
    data: { Corefile },
  })
  await kube.kubectl(['-n', 'kube-system', 'rollout', 'restart', 'deployment/coredns'])
  await kube.rolledOut('kube-system', 'coredns')
}

async function installGateway(kube: KubeScene, authority: Authority): Promise<Omit<ExampleScene, 'close'>> {
  let address = FORWARDED
  const run = async (command: string): Promise<string> => {
    const script = `cd ${ROOT} && ${command.replaceAll(FORWARDED, address)}`
    const { code, stdout, stderr } = await kube.cluster.exec(['sh', '-c', script], { timeoutMs: COMMAND_MS })
    assert.equal(code, 0, `${command}\n${stdout}${stderr}`)
    return stdout
  }
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  for (const command of exampleCommands(join(EXAMPLES, 'README.md')).setup) {
    const isHelm = command.startsWith('helm ')
    if (isHelm) {
      const data = { 'ca.crt': authority.certificate.toString() }
      await kube.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: place(AUTHORITY, NS), data })
      await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS, labels } })
    }
    await run(isHelm ? `${command} --set-json 'gateway.spec.tls.outbound=${TRUST}'` : command)
  }
  const seen = async () =>
    JSON.parse(await kube.kubectl(['get', '--raw', `/api/v1/namespaces/${MODELS}/services/seen:8099/proxy/`]))
  const setUp: ExampleScene['setUp'] = async (folder) => {
    const commands = exampleCommands(join(EXAMPLES, folder, 'README.md'))
    for (const command of commands.setup) await run(command)
    return commands
  }
  address = `${await run(`kubectl -n ${NS} get service main -o jsonpath={.spec.clusterIP}`)}:5380`
  return { kube, run, setUp, seen }
}

function place(name: string, namespace: string) {
  return { name, namespace }
}
