import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from './find-program.ts'
import { runCommand } from './run-command.ts'

export type SearchResult =
  | { readonly kind: 'found'; readonly file: string }
  | { readonly kind: 'not found'; readonly reason: string }
export type Source = { readonly name: string; find(): Promise<SearchResult> }
export type SourceContext = {
  /** `.tools` of the checkout. */
  readonly tools: string
  readonly environment: NodeJS.ProcessEnv
  /** The version to download when there is a choice, without `v`. */
  readonly version: string
}

/** Returns the possible sources of nats-server, the best first; each returns the reason when it has none. */
export function natsServerSources(context: SourceContext): readonly Source[] {
  return [
    { name: 'PATH', find: async () => onPath(context) },
    { name: "Debian's package", find: () => debianPackage(context) },
    { name: 'the Go module', find: () => goModule(context) },
    { name: "the project's release download", find: () => releaseDownload(context) },
  ]
}

function onPath(context: SourceContext): SearchResult {
  const file = findProgram('nats-server', context.environment.PATH ?? '', [join(context.tools, 'bin')])
  return file === undefined ? notFound('no nats-server on PATH') : { kind: 'found', file }
}

/**
 * Downloads and unpacks Debian's package without root, with package lists of our own when the machine's are missing or
 * old.
 */
async function debianPackage(context: SourceContext): Promise<SearchResult> {
  const folder = emptyFolder(join(context.tools, 'nats-debian'))
  const command = { cwd: folder, environment: { ...context.environment, DEBIAN_FRONTEND: 'noninteractive' } }
  const downloaded = await runCommand('apt-get', ['download', 'nats-server'], command)
  if (!downloaded.ok) {
    const own = ownLists(folder)
    const updated = await runCommand('apt-get', [...own, 'update'], command)
    const again = updated.ok ? await runCommand('apt-get', [...own, 'download', 'nats-server'], command) : updated
    if (!again.ok) return notFound(`apt-get: ${lastLine(again.output)}`)
  }
  const archive = readdirSync(folder).find((name) => name.endsWith('.deb'))
  if (archive === undefined) return notFound('apt-get downloaded no package')
  const unpacked = await runCommand('dpkg-deb', ['-x', archive, folder], command)
  if (!unpacked.ok) return notFound(`dpkg-deb: ${lastLine(unpacked.output)}`)
  rmSync(join(folder, archive))
  rmSync(join(folder, 'state'), { recursive: true, force: true })
  const file = findProgram('nats-server', `${folder}/usr/sbin:${folder}/usr/bin`)
  return file === undefined ? notFound('the package holds no nats-server') : { kind: 'found', file }
}

function ownLists(folder: string): readonly string[] {
  for (const name of ['state/lists/partial', 'state/cache/archives/partial'])
    mkdirSync(join(folder, name), { recursive: true })
  return [
    '-o',
    `Dir::State::lists=${folder}/state/lists`,
    '-o',
    `Dir::Cache=${folder}/state/cache`,
    '-o',
    'Debug::NoLocking=true',
  ]
}

async function goModule(context: SourceContext): Promise<SearchResult> {
  const folder = emptyFolder(join(context.tools, 'nats-go'))
  const environment = { ...context.environment, GOBIN: folder, GOFLAGS: '-mod=mod' }
  const args = ['install', `github.com/nats-io/nats-server/v2@v${context.version}`]
  const installed = await runCommand('go', args, { cwd: folder, environment })
  return installed.ok
    ? { kind: 'found', file: join(folder, 'nats-server') }
    : notFound(`go: ${lastLine(installed.output)}`)
}

async function releaseDownload(context: SourceContext): Promise<SearchResult> {
  const folder = emptyFolder(join(context.tools, 'nats-release'))
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `nats-server-v${context.version}-${process.platform}-${architecture}`
  const base = `https://github.com/nats-io/nats-server/releases/download/v${context.version}`
  const options = { cwd: folder, environment: context.environment }
  for (const file of [`${name}.tar.gz`, 'SHA256SUMS']) {
    const fetched = await runCommand(
      'curl',
      ['-fsSL', '--retry', '2', '--max-time', '300', '-O', `${base}/${file}`],
      options,
    )
    if (!fetched.ok) return notFound(`curl: ${lastLine(fetched.output)}`)
  }
  const unpack = `grep ' ${name}.tar.gz$' SHA256SUMS | (sha256sum -c - || shasum -a 256 -c -) && tar -xzf ${name}.tar.gz`
  const unpacked = await runCommand('sh', ['-c', unpack], options)
  if (!unpacked.ok) return notFound(`release: ${lastLine(unpacked.output)}`)
  return { kind: 'found', file: join(folder, name, 'nats-server') }
}

function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true })
  return path
}

function notFound(reason: string): SearchResult {
  return { kind: 'not found', reason }
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1)
}
