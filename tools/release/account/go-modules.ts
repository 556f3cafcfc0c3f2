import type { Material } from './licences.ts'

/**
 * Licences from the LICENSE files of nats-server's modules. A module missing here has no licence, which fails a
 * release.
 */
const LICENCES: Readonly<Record<string, readonly string[]>> = {
  'github.com/antithesishq/antithesis-sdk-go': ['MIT'],
  'github.com/klauspost/compress': ['Apache-2.0', 'BSD-3-Clause', 'MIT'],
  'github.com/minio/highwayhash': ['Apache-2.0'],
  'github.com/nats-io/jwt/v2': ['Apache-2.0'],
  'github.com/nats-io/nkeys': ['Apache-2.0'],
  'github.com/nats-io/nuid': ['Apache-2.0'],
  'golang.org/x/crypto': ['BSD-3-Clause'],
  'golang.org/x/sys': ['BSD-3-Clause'],
  'golang.org/x/time': ['BSD-3-Clause'],
}

/** Returns the modules of a Go program from the output of `go version -m`. */
export function goModules(output: string, place: string): readonly Material[] {
  const compiler = /^[^\n]*: go(?<version>[0-9.]+)\n/.exec(output)?.groups?.version
  if (compiler === undefined) throw new Error(`release: no version of Go in ${output.slice(0, 200)}`)
  const library = {
    name: 'go',
    version: compiler,
    purl: `pkg:golang/std@${compiler}`,
    licences: ['BSD-3-Clause'],
    place,
  }
  const modules = [...output.matchAll(/^\tdep\t(\S+)\t(\S+)\th1:(\S+)$/gm)].map(
    ([, name = '', version = '', sum = '']) => ({
      name,
      version,
      purl: `pkg:golang/${name}@${version}`,
      licences: LICENCES[name] ?? [],
      // Go's hash over all files of the module, as in its checksum database; not the hash of one file.
      sum: `h1:${sum}`,
      place,
    }),
  )
  return [library, ...modules]
}
