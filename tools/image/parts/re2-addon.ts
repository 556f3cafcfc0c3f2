import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { isRe2Ready, pathsOf } from '../../re2/ensure-re2.ts'
import { failureReason } from '../../re2/failure-reason.ts'
import { runCommand } from '../../setup/run-command.ts'
import { crossCompiler } from './cross-compiler.ts'
import { makeOnce } from './make-once.ts'
import type { ImageBuild, Part } from './part.ts'
import { type Platform, platformOf } from './platform.ts'

export type Re2Order = {
  readonly imageBuild: ImageBuild
  readonly platform: Platform
  /** The folder of the platform's Node, with its headers. */
  readonly node: string
}

const NODE_GYP = 'node_modules/node-gyp/bin/node-gyp.js'
const BUILD_TIMEOUT_MS = 3_600_000
const FLAGS = '-O2 -g0'

/**
 * Returns re2's addon: on this machine's platform the addon that `make re2` built, on another platform a cross-compiled
 * addon, which is kept.
 */
export async function re2Addon(order: Re2Order): Promise<Part> {
  const { imageBuild, platform, node } = order
  const abi = abiOf(node)
  if (platformOf(process.arch) !== platform) return await crossBuilt(order, abi)
  if (process.versions.modules !== abi)
    return { kind: 'unavailable', reason: 'the Node that runs this build and the image’s Node have different ABIs' }
  const path = pathsOf(imageBuild.root)?.installed
  const isReady = path !== undefined && (await isRe2Ready(imageBuild.root))
  return isReady
    ? { kind: 'ready', path }
    : { kind: 'unavailable', reason: 'it is not built yet; `make re2` builds it' }
}

async function crossBuilt({ imageBuild, platform, node }: Re2Order, abi: string): Promise<Part> {
  const { root, environment, say } = imageBuild
  const source = join(root, 'node_modules/re2')
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const path = join(root, '.tools/image/re2', `${version}-${abi}-${platform.architecture}`, 're2.node')
  const reason = await makeOnce(path, async (half) => {
    const compiler = await crossCompiler(imageBuild, platform)
    if (compiler.kind === 'unavailable') return compiler.reason
    say(`image: compiling re2 for linux/${platform.architecture}, which takes some minutes`)
    // A folder in which the build finds nan and which no other process reads.
    const folder = join(dirname(half), 'build/node_modules')
    for (const name of ['re2', 'nan']) cpSync(join(root, 'node_modules', name), join(folder, name), { recursive: true })
    const args = ['configure', 'build', '--jobs', '2', '--arch', platform.cpu, '--nodedir', node]
    const { ok, output } = await runCommand('nice', ['-n', '19', process.execPath, join(root, NODE_GYP), ...args], {
      cwd: join(folder, 're2'),
      environment: {
        ...environment,
        ...compiler.environment,
        PATH: `${dirname(process.execPath)}${delimiter}${environment.PATH ?? ''}`,
        CXXFLAGS: FLAGS,
      },
      timeoutMs: BUILD_TIMEOUT_MS,
    })
    mkdirSync(dirname(half), { recursive: true })
    writeFileSync(join(dirname(half), 'build.log'), `${output}\n`)
    if (!ok) return failureReason(output)
    renameSync(join(folder, 're2/build/Release/re2.node'), half)
    return undefined
  })
  return reason === undefined ? { kind: 'ready', path } : { kind: 'unavailable', reason }
}

/** Returns the version of Node's binary interface from its headers. */
function abiOf(node: string): string {
  const text = readFileSync(join(node, 'include/node/node_version.h'), 'utf8')
  return /^#define NODE_MODULE_VERSION (\d+)/m.exec(text)?.[1] ?? ''
}
