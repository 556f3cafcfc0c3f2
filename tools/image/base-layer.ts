import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import type { DebianPackage } from './debian/fetch-packages.ts'
import { packageEntries } from './debian/package-entries.ts'
import { directory, type Entry, file, text } from './entry.ts'
import { stripElf } from './strip-elf.ts'

/** The user that everything runs as; nothing in the image is its own. */
export const USER = 65532

/** Node, what it and re2's addon link to, and what a program expects of a machine. `node` is a folder with `bin/node`. */
export function baseLayer(node: string, packages: readonly DebianPackage[]): readonly Entry[] {
  return [
    file('usr/bin/node', () => stripElf(readFileSync(join(node, 'bin/node'))), 0o755),
    file('usr/share/doc/node/copyright', () => readFileSync(join(node, 'LICENSE'))),
    ...packageEntries(packages),
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
