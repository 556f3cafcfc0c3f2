import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUNDLED_WORKSPACES, PACKAGES } from '../../image/contents.ts'
import { readPins } from '../../image/debian/pinned-package.ts'
import { natsServer } from '../../image/parts/nats-server.ts'
import { PLATFORMS } from '../../image/parts/platform.ts'
import { type Lock, productionPackages } from '../../image/production-packages.ts'
import versions from '../../versions.json' with { type: 'json' }
import type { ReleaseBuild } from '../artefact.ts'
import { runProgram } from '../run-program.ts'
import { goModules } from './go-modules.ts'
import type { Material } from './licences.ts'

/** The part of npm's answer that is read; the rest differs between npm's versions. */
type Component = {
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly licenses?: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[]
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
}

const WEB = 'gateway/gui/web'
/** Licences from the Debian packages' /usr/share/doc, which the image contains. */
const DEBIAN_LICENCES: Readonly<Record<string, string>> = {
  'base-files': 'GPL-2.0-or-later',
  'gcc-12-base': 'GPL-3.0-or-later WITH GCC-exception-3.1',
  libc6: 'LGPL-2.1-or-later',
  'libgcc-s1': 'GPL-3.0-or-later WITH GCC-exception-3.1',
  libjemalloc2: 'BSD-2-Clause',
  'libstdc++6': 'GPL-3.0-or-later WITH GCC-exception-3.1',
}

/**
 * Returns all foreign parts of a release, sorted by purl: npm packages, the image's Debian packages and, when the image
 * was built, the modules of its nats-server.
 */
export async function readMaterials(releaseBuild: ReleaseBuild, hasImage: boolean): Promise<readonly Material[]> {
  const { stage } = releaseBuild
  const programs = productionPackages(lockOf(stage, '.'), [...PACKAGES, ...BUNDLED_WORKSPACES])
  const page = productionPackages(lockOf(stage, WEB), [''])
  const materials = [
    ...(await npmMaterials(releaseBuild, { folder: '.', packages: programs, place: 'image' })),
    ...(await npmMaterials(releaseBuild, { folder: WEB, packages: page, place: 'page of the web interface' })),
    ...ofDebian(stage),
    ...ofPrograms(),
    ...(hasImage ? await ofNatsServer(releaseBuild) : []),
    ofPython(stage),
  ]
  const byPurl = new Map<string, Material>()
  for (const one of materials) {
    const place = byPurl.get(one.purl)?.place
    byPurl.set(one.purl, place === undefined || place === one.place ? one : { ...one, place: `${place}, ${one.place}` })
  }
  return [...byPurl.values()].toSorted((one, other) => (one.purl < other.purl ? -1 : 1))
}

type NpmPart = { readonly folder: string; readonly packages: readonly string[]; readonly place: string }

/**
 * Reads packages of a lock file with npm's own tool, which needs neither node_modules nor a registry. Development
 * dependencies are included, since npm would omit packages that programs share with tests together with them.
 */
async function npmMaterials(
  releaseBuild: ReleaseBuild,
  { folder, packages, place }: NpmPart,
): Promise<readonly Material[]> {
  const { stage, environment } = releaseBuild
  const argv = ['npm', 'sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--offline', '--silent']
  const bill: { readonly components: readonly Component[] } = JSON.parse(
    await runProgram(argv, { cwd: join(stage, folder), environment }),
  )
  const components = new Map(bill.components.map((component) => [`${component.name}@${component.version}`, component]))
  const lock = lockOf(stage, folder)
  return packages.map((path) => {
    const id = `${path.split('node_modules/').at(-1)}@${lock[path]?.version}`
    const component = components.get(id)
    if (component === undefined) throw new Error(`release: npm sbom lacks ${id}`)
    return ofNpm(component, place)
  })
}

function lockOf(stage: string, folder: string): Lock {
  return JSON.parse(readFileSync(join(stage, folder, 'package-lock.json'), 'utf8')).packages
}

function ofNpm({ name, version, purl, licenses = [], hashes = [] }: Component, place: string): Material {
  const licences = licenses.flatMap(({ license, expression }) => license?.id ?? expression ?? [])
  const hash = hashes.find(({ alg }) => alg === 'SHA-512')
  const material = { name, version, purl, licences, place }
  return hash === undefined ? material : { ...material, hash: { alg: hash.alg, content: hash.content } }
}

function ofDebian(stage: string): readonly Material[] {
  return Object.entries(readPins(stage)).flatMap(([architecture, pins]) =>
    pins.map(({ name, version, sha256 }) => {
      const licence = DEBIAN_LICENCES[name]
      return {
        name,
        version,
        purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`,
        licences: licence === undefined ? [] : [licence],
        hash: { alg: 'SHA-256', content: sha256 },
        place: `image, ${architecture}`,
      }
    }),
  )
}

function ofPrograms(): readonly Material[] {
  const nats = versions.image['nats-server'].version
  return [
    ...(['linux-x64', 'linux-arm64'] as const).map((platform) => {
      const { name, version, integrity } = versions.node.packages[platform]
      const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
      const purl = `pkg:npm/${name}@${version}`
      return { name, version, purl, licences: ['MIT'], hash: { alg: 'SHA-512', content }, place: 'image' }
    }),
    {
      name: 'nats-server',
      version: nats,
      purl: `pkg:golang/github.com/nats-io/nats-server/v2@v${nats}`,
      licences: ['Apache-2.0'],
      place: 'image',
    },
  ]
}

/** Returns the modules of the image's nats-server, which the build of the image has kept. */
async function ofNatsServer({ stage, environment, say }: ReleaseBuild): Promise<readonly Material[]> {
  const [platform] = PLATFORMS
  if (platform === undefined) throw new Error('release: the image names no platform')
  const part = await natsServer({ root: stage, environment, isRelease: true, say }, platform)
  if (part.kind === 'unavailable') throw new Error(`release: ${part.reason}`)
  const argv = ['go', 'version', '-m', join(part.path, 'nats-server')]
  return goModules(await runProgram(argv, { cwd: stage, environment }), 'image, nats-server')
}

function ofPython(stage: string): Material {
  const project = readFileSync(join(stage, 'processors/sdk-python/pyproject.toml'), 'utf8')
  const [, name = '', version = ''] = /dependencies = \["([a-z-]+)==([0-9.]+)"\]/.exec(project) ?? []
  if (name !== 'nats-py') throw new Error('release: the licences of the Python SDK’s dependencies are not known')
  return { name, version, purl: `pkg:pypi/${name}@${version}`, licences: ['Apache-2.0'], place: 'SDK for Python' }
}
