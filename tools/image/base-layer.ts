import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import type { DebianPackage } from './debian/fetch-packages.ts'
import { packageEntries } from './debian/package-entries.ts'
import { directory, type Entry, file, text } from './entry.ts'
import { stripElf } from './strip-elf.ts'

/** The user of all processes; it owns no file of the image. */
export const USER = 65532

/**
 * Returns the base layer: Node, libraries of Node and of re2's addon, and common system files. `node` is a folder with
 * `bin/node`.
 */
export function baseLayer(node: string, packages: readonly DebianPackage[]): readonly Entry[] {
  return [
    file('usr/bin/node', () => stripElf(readFileSync(join(node, 'bin/node'))), 0o755),
    file('usr/share/doc/node/copyright', () => readFileSync(join(node, 'LICENSE'))),
    ...packageEntries(packages),
    directory('tmp', 0o1777),
    text('etc/passwd', `root:x:0:0:root:/:/sbin/nologin\nllm-gateway:x:${USER}:${USER}::/:/sbin/nologin\n`),
    text('etc/group', `root:x:0:\nllm-gateway:x:${USER}:\n`),
    // A container engine replaces this file. Where no engine does, localhost gets its addresses from this file.
    text('etc/hosts', '127.0.0.1 localhost\n::1 localhost\n'),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    // Node's own list, for nats-server. The build machine's list may contain a private certificate.
    text('etc/ssl/certs/ca-certificates.crt', rootCertificates.map((pem) => `${pem.trim()}\n`).join('')),
  ]
}
