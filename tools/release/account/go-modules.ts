import type { Material } from './licences.ts'

/** What the LICENSE files of nats-server's modules say; one that isn't named here has no licence, which ends a release. */
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

/** The modules that a Go program was built of, by what `go version -m` says of its file. */
export function goModules(told: string, place: string): readonly Material[] {
  const compiler = /^[^\n]*: go(?<version>[0-9.]+)\n/.exec(told)?.groups?.version
  if (compiler === undefined) throw new Error(`release: no version of Go in ${told.slice(0, 200)}`)
  const library = {
    name: 'go',
    version: compiler,
    purl: `pkg:golang/std@${compiler}`,
    licences: ['BSD-3-Clause'],
    place,
  }
  const modules = [...told.matchAll(/^\tdep\t(\S+)\t(\S+)\th1:(\S+)$/gm)].map(
    ([, name = '', version = '', sum = '']) => ({
      name,
      version,
      purl: `pkg:golang/${name}@${version}`,
      licences: LICENCES[name] ?? [],
      // A hash of the module's files, as Go's checksum database has it; no hash of one file.
      sum: `h1:${sum}`,
      place,
    }),
  )
  return [library, ...modules]
}
