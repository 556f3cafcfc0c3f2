import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type LockEntry = { readonly link?: boolean; readonly version?: string }
type LockFile = { readonly version?: string; readonly packages: Readonly<Record<string, LockEntry>> }

/** Packages outside the workspaces, each with a lock file of its own. */
const APART = ['docs', 'gateway/gui/web', 'test/browser'] as const
const CHARTS = ['charts/llm-gateway', 'charts/llm-gateway-crds'] as const
/** Programs that write files with the version in them, in this order, since the charts use the CRDs' manifests. */
export const GENERATORS = ['crds/generate.ts', 'deploy/azure/generate.ts', 'tools/helm/main.ts'] as const
/** Text files that contain the version: path → a pattern with groups for the text before and after it. */
const PLACES: readonly (readonly [file: string, place: RegExp])[] = [
  ...CHARTS.flatMap((folder) => [
    [`${folder}/Chart.yaml`, /(^version: ).*()$/gm] as const,
    [`${folder}/Chart.yaml`, /(^appVersion: ).*()$/gm] as const,
  ]),
  ['Dockerfile', /(org\.opencontainers\.image\.version=")[^"]*(")/g],
  ['deploy/azure/README.md', /(main\.json \\\n +--parameters image=registry\.example\/llm-gateway:)[^ ]*( )/g],
  // npm takes the SDK for the README's example from this checkout only under the same version, else from a registry.
  ['processors/sdk/README.md', /("name": "@llm-gateway\/word-count",\n +"version": ")[^"]*(")/g],
  ['processors/sdk/README.md', /("@llm-gateway\/sdk": ")[^"]*(")/g],
  ['deploy/compose/compose.yaml', /(LLM_GATEWAY_IMAGE:-llm-gateway:)[^}]*(})/g],
  ['docs/start/kubernetes.md', /((?:-t|docker-image|load) llm-gateway:)\S*()/g],
]

/**
 * Returns every hand-written file that repeats the version of the root's `package.json`, with `version` in it: path
 * from the root → text. `GENERATORS` write the version into generated files.
 */
export function versionCopies(root: string, version: string): ReadonlyMap<string, string> {
  const read = (file: string): string => readFileSync(join(root, file), 'utf8')
  const { workspaces }: { readonly workspaces: readonly string[] } = JSON.parse(read('package.json'))
  const manifests = ['.', ...workspaces, ...APART].map((folder) => join(folder, 'package.json'))
  const copies = new Map(manifests.map((file) => [file, withVersion(read(file), version)]))
  for (const folder of ['.', ...APART]) {
    const file = join(folder, 'package-lock.json')
    copies.set(file, lockWithVersion(JSON.parse(read(file)), version))
  }
  for (const [file, place] of PLACES) {
    const text = copies.get(file) ?? read(file)
    if (text.search(place) === -1) throw new Error(`version: ${file} has no version that matches ${place}`)
    copies.set(file, text.replaceAll(place, `$1${version}$2`))
  }
  return copies
}

/** Replaces the package's own version and those of our packages that it requires. */
function withVersion(manifest: string, version: string): string {
  return manifest
    .replace(/^( {2}"version": ")[^"]*/m, `$1${version}`)
    .replaceAll(/^( {4}"@llm-gateway\/[a-z-]+": ")[^"]*/gm, `$1${version}`)
}

function lockWithVersion(lock: LockFile, version: string): string {
  const packages = Object.entries(lock.packages).map(([folder, entry]) => {
    const isOurs = !folder.includes('node_modules') && entry.version !== undefined
    return [folder, isOurs ? { ...entry, version, ...withOurVersions(entry, version) } : entry] as const
  })
  return `${JSON.stringify({ ...lock, version, packages: Object.fromEntries(packages) }, undefined, 2)}\n`
}

function withOurVersions(
  entry: LockEntry & { readonly dependencies?: Readonly<Record<string, string>> },
  version: string,
) {
  if (entry.dependencies === undefined) return {}
  const dependencies = Object.entries(entry.dependencies).map(
    ([name, wanted]) => [name, name.startsWith('@llm-gateway/') ? version : wanted] as const,
  )
  return { dependencies: Object.fromEntries(dependencies) }
}
