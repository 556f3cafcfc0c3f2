import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Debian's names of the processors that Node calls so. */
const PROCESSORS: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' }
/** Places of the library: `make setup`'s, then those of Debian, Fedora and Arch. */
const PLACES: readonly string[] = [
  join(import.meta.dirname, '../../.tools/lib'),
  `/usr/lib/${PROCESSORS[process.arch]}-linux-gnu`,
  '/usr/lib64',
  '/usr/lib',
].map((folder) => join(folder, 'libjemalloc.so.2'))

/** Returns the path of the machine's jemalloc; undefined where there is none. */
export function findJemalloc(places: readonly string[] = PLACES): string | undefined {
  if (process.platform !== 'linux') return undefined
  // The loader splits LD_PRELOAD at spaces and colons, and it knows no escapes.
  return places.find((place) => !/[\s:]/.test(place) && existsSync(place))
}

/**
 * Returns the variables with which a process allocates by jemalloc instead of glibc; none without a library.
 * - In glibc's heap, free memory between small objects that live on is never returned. After 53 minutes of hostile
 *   traffic 400 MiB of the gateway's memory were free, and the next large bodies came on top of them. jemalloc keeps
 *   sizes apart and returns free pages: an idle gateway keeps half as much.
 * - One arena, as with glibc. Its free pages are returned after a second, by a thread, so that no call waits for that.
 */
export function jemallocVariables(library: string | undefined): Readonly<Record<string, string>> {
  if (library === undefined) return {}
  // Under this name docs/generate/read-variables.ts finds variables of the environment.
  const variables: Readonly<Record<string, string>> = {
    LD_PRELOAD: library,
    MALLOC_CONF: 'narenas:1,background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0',
  }
  return variables
}
