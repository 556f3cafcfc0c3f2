import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Source } from './nats-server-sources.ts'
import { runCommand } from './run-command.ts'

export type Search = {
  readonly sources: readonly Source[]
  /** `.tools` of the checkout, where the link is `bin/nats-server`. */
  readonly tools: string
  readonly minimum: string
  readonly say: (line: string) => void
}

/**
 * Links a nats-server of at least `minimum` at `.tools/bin/nats-server`; prints all reasons and returns false when
 * there is none.
 */
export async function getNatsServer(search: Search): Promise<boolean> {
  const link = join(search.tools, 'bin', 'nats-server')
  if (isAtLeast(await versionOf(link), search.minimum)) return true
  const reasons: string[] = []
  for (const source of search.sources) {
    const found = await source.find()
    if (found.kind === 'not found') {
      reasons.push(found.reason)
      continue
    }
    const version = await versionOf(found.file)
    if (isAtLeast(version, search.minimum)) {
      relink(link, found.file)
      search.say(`tools: nats-server ${version} from ${source.name}`)
      return true
    }
    reasons.push(`${source.name} has ${version === '' ? 'a program that does not start here' : `version ${version}`}`)
  }
  search.say(`tools: no source has nats-server ${search.minimum} or newer: ${reasons.join(' · ')}`)
  return false
}

async function versionOf(file: string): Promise<string> {
  const { ok, output } = await runCommand(file, ['--version'], { timeoutMs: 10_000 })
  return ok ? (/\d+\.\d+\.\d+\S*/.exec(output)?.[0] ?? '') : ''
}

function relink(link: string, file: string): void {
  mkdirSync(dirname(link), { recursive: true })
  rmSync(link, { force: true })
  const outside = relative(dirname(dirname(link)), file).startsWith('..')
  symlinkSync(outside ? file : relative(dirname(link), file), link)
}

/**
 * Returns whether `found` (text with a version like `v2.10.27-beta`) is `minimum` or newer; pre-release parts are
 * ignored.
 */
export function isAtLeast(found: string, minimum: string): boolean {
  const [have, need] = [numbersOf(found), numbersOf(minimum)]
  if (have === undefined || need === undefined) return false
  const differing = need.findIndex((part, index) => part !== have[index])
  return differing === -1 || (have[differing] ?? 0) > (need[differing] ?? 0)
}

function numbersOf(text: string): readonly number[] | undefined {
  const match = /(\d+)\.(\d+)\.(\d+)/.exec(text)
  return match?.slice(1).map(Number)
}
