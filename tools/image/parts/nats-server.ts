import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../../setup/run-command.ts'
import versions from '../../versions.json' with { type: 'json' }
import { makeOnce } from './make-once.ts'
import type { ImageBuild, Part } from './part.ts'
import type { Platform } from './platform.ts'
import { lastLine, run } from './run.ts'

const MODULE = 'github.com/nats-io/nats-server/v2'
const BUILD_TIMEOUT_MS = 1_800_000

/** Returns a folder with the image's pinned `nats-server`, built from its Go module, and its `LICENSE`. */
export async function natsServer({ root, environment }: ImageBuild, { architecture }: Platform): Promise<Part> {
  const { go, 'nats-server': pin } = versions.image
  const path = join(root, '.tools/image/nats-server', `${pin.version}-go${go}-${architecture}`)
  const reason = await makeOnce(path, async (half) => {
    // GOTOOLCHAIN pins the compiler, since another compiler gives other bytes.
    const own = { ...environment, GOTOOLCHAIN: `go${go}`, GOWORK: 'off', GOFLAGS: '-mod=readonly -buildvcs=false' }
    const downloaded = await runCommand('go', ['mod', 'download', '-json', `${MODULE}@v${pin.version}`], {
      cwd: root,
      environment: { ...own, GOFLAGS: '-mod=mod' },
    })
    if (!downloaded.ok) return lastLine('go', downloaded.output)
    const { Dir: sources, Sum: sum } = moduleOf(downloaded.output)
    if (sum !== pin.sum) return `nats-server ${pin.version} is not the module that was pinned`
    mkdirSync(half, { recursive: true })
    const args = ['build', '-C', sources, '-trimpath', '-ldflags', '-s -w', '-o', join(half, 'nats-server'), '.']
    const failed = await run('nice', ['-n', '19', 'go', ...args], {
      environment: { ...own, CGO_ENABLED: '0', GOOS: 'linux', GOARCH: architecture },
      timeoutMs: BUILD_TIMEOUT_MS,
    })
    if (failed !== undefined) return failed
    copyFileSync(join(sources, 'LICENSE'), join(half, 'LICENSE'))
    return undefined
  })
  return reason === undefined ? { kind: 'ready', path } : { kind: 'unavailable', reason: `nats-server: ${reason}` }
}

/** Parses Go's output, in which download messages precede the document. */
function moduleOf(output: string): { readonly Dir: string; readonly Sum: string } {
  return JSON.parse(output.slice(output.indexOf('{\n'), output.lastIndexOf('}') + 1))
}
