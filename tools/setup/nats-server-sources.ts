import { join } from 'node:path'
import { emptyFolder } from './empty-folder.ts'
import { findProgram } from './find-program.ts'
import { lastLine, runCommand } from './run-command.ts'
import { unpackDebianPackage } from './unpack-debian-package.ts'

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

async function debianPackage(context: SourceContext): Promise<SearchResult> {
  const folder = join(context.tools, 'nats-debian')
  const reason = await unpackDebianPackage('nats-server', folder, context.environment)
  if (reason !== undefined) return notFound(reason)
  const file = findProgram('nats-server', `${folder}/usr/sbin:${folder}/usr/bin`)
  return file === undefined ? notFound('the package holds no nats-server') : { kind: 'found', file }
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

function notFound(reason: string): SearchResult {
  return { kind: 'not found', reason }
}
