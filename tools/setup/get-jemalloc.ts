import { existsSync, globSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { runCommand } from './run-command.ts'
import { unpackDebianPackage } from './unpack-debian-package.ts'

export type JemallocOrder = {
  /** `.tools` of the checkout, where the link is `lib/libjemalloc.so.2`. */
  readonly tools: string
  readonly environment: NodeJS.ProcessEnv
  readonly say: (line: string) => void
}

/**
 * Links Debian's libjemalloc at `.tools/lib`, where the gateway finds it, unless it is there. The gateway takes less
 * memory with it and runs without it, so that a failure is only printed, with its reason.
 */
export async function getJemalloc({ tools, environment, say }: JemallocOrder): Promise<void> {
  const link = join(tools, 'lib/libjemalloc.so.2')
  if (process.platform !== 'linux' || existsSync(link)) return
  const folder = join(tools, 'jemalloc-debian')
  const reason = await unpackDebianPackage('libjemalloc2', folder, environment)
  const [library] = globSync(join(folder, 'usr/lib/*/libjemalloc.so.2'))
  const complaint = reason ?? (library === undefined ? 'the package holds no library' : await complaintOf(library))
  if (library === undefined || complaint !== undefined) {
    say(`tools: no jemalloc, so that the gateway takes more memory: ${complaint}`)
    return
  }
  mkdirSync(dirname(link), { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(relative(dirname(link), library), link)
  say("tools: jemalloc from Debian's package")
}

/** Returns what the loader says of a library that doesn't load here; it goes on without the library. */
async function complaintOf(library: string): Promise<string | undefined> {
  const { ok, output } = await runCommand(process.execPath, ['-e', ''], { environment: { LD_PRELOAD: library } })
  return ok && output === '' ? undefined : output
}
