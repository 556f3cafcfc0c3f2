import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { directory, type Entry, file, text } from './entry.ts'
import type { Library } from './linked-libraries.ts'
import { stripElf } from './strip-elf.ts'

/** The user that everything runs as; nothing in the image is its own. */
export const USER = 65532

/** Node, what it and re2's addon link to, and what a program expects of a machine. `node` is an absolute path. */
export function baseLayer(node: string, libraries: readonly Library[]): readonly Entry[] {
  return [
    file('usr/bin/node', () => stripElf(readFileSync(node)), 0o755),
    ...libraryEntries(libraries),
    ...notices(node),
    directory('tmp', 0o1777),
    text('etc/passwd', `root:x:0:0:root:/:/sbin/nologin\nllm-gateway:x:${USER}:${USER}::/:/sbin/nologin\n`),
    text('etc/group', `root:x:0:\nllm-gateway:x:${USER}:\n`),
    // A runtime puts its own in its place; without any, not even localhost has an address.
    text('etc/hosts', '127.0.0.1 localhost\n::1 localhost\n'),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    // Node's own list, for nats-server. A bundle of the machine could hold a certificate that only that machine trusts.
    text('etc/ssl/certs/ca-certificates.crt', rootCertificates.map((pem) => `${pem.trim()}\n`).join('')),
  ]
}

/** Loaders and libraries at the places where programs look for them. */
export function libraryEntries(libraries: readonly Library[]): readonly Entry[] {
  const byPath = new Map(libraries.map((library) => [library.path.slice(1), library.source]))
  return [...byPath].map(([path, source]) => file(path, () => readFileSync(source), 0o755))
}

function notices(node: string): readonly Entry[] {
  const debian = ['libc6', 'libstdc++6', 'libgcc-s1'].map((name) => notice(name, `/usr/share/doc/${name}/copyright`))
  return [...notice('node', join(dirname(dirname(realpathSync(node))), 'LICENSE')), ...debian.flat()]
}

/** The licence of what isn't ours, where this machine has it: none or one. */
export function notice(name: string, source: string): readonly Entry[] {
  return existsSync(source) ? [file(`usr/share/doc/${name}/copyright`, () => readFileSync(source))] : []
}
