import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderFiles } from '../../image/folder-files.ts'
import { type Files, tarball } from '../archive.ts'
import type { ReleaseBuild } from '../artefact.ts'
import { zip } from '../zip.ts'

const FOLDER = 'processors/sdk-python'
const MODULE = 'llm_gateway_sdk'
/** The placeholder in the module; `make release` replaces it. */
const VERSION_LINE = /^__version__ = "0"$/m
const NAME_LINE = /^name = "(?:llm-gateway-sdk)"$/m

/**
 * Writes the Python SDK as a wheel, which pip installs unchanged, and as an sdist, which pip builds with the pinned
 * flit_core.
 */
export function packPython({ stage, out, version: released, epoch, names }: ReleaseBuild): void {
  const version = pythonVersion(released)
  const read = (path: string): string => readFileSync(join(stage, FOLDER, path), 'utf8')
  const module = folderFiles(join(stage, FOLDER, MODULE))
    .filter((path) => !path.includes('__pycache__'))
    .map((path) => [`${MODULE}/${path}`, withVersion(path, read(`${MODULE}/${path}`), version)] as const)
  const readme = read('README.md').replaceAll('llm-gateway-sdk', names.pythonPackage)
  const project = replaced(read('pyproject.toml'), NAME_LINE, `name = "${names.pythonPackage}"`)
  const licence = readFileSync(join(stage, 'LICENSE'), 'utf8')
  const metadata = `${coreMetadata({ name: names.pythonPackage, version, project, url: names.repository })}\n${readme}`
  const base = `${names.pythonPackage.replaceAll(/[-_.]+/g, '_')}-${version}`
  const about = [
    [`${base}.dist-info/METADATA`, metadata],
    [
      `${base}.dist-info/WHEEL`,
      'Wheel-Version: 1.0\nGenerator: llm-gateway\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    ],
    [`${base}.dist-info/licenses/LICENSE`, licence],
  ] as const
  const wheel = withRecord(new Map([...module, ...about]), `${base}.dist-info/RECORD`)
  writeFileSync(join(out, `${base}-py3-none-any.whl`), zip(wheel, epoch))
  const sources = new Map([
    ...module,
    ['pyproject.toml', project],
    ['README.md', readme],
    ['LICENSE', licence],
    ['PKG-INFO', metadata],
  ])
  writeFileSync(join(out, `${base}.tar.gz`), tarball(base, sources, epoch))
}

/** Converts a version to Python's form: `1.2.3-rc.4` becomes `1.2.3rc4`. */
function pythonVersion(version: string): string {
  return version.replace(/-(alpha|beta|rc)\./, (_, kind: string) => (kind === 'rc' ? 'rc' : kind.slice(0, 1)))
}

function withVersion(path: string, text: string, version: string): string {
  return path === '__init__.py' ? replaced(text, VERSION_LINE, `__version__ = "${version}"`) : text
}

function replaced(text: string, place: RegExp, by: string): string {
  if (!place.test(text)) throw new Error(`release: no line of the Python package matches ${place}`)
  return text.replace(place, by)
}

type Metadata = { readonly name: string; readonly version: string; readonly project: string; readonly url: string }

/** Returns the core metadata of a package from its pyproject.toml. */
function coreMetadata({ name, version, project, url }: Metadata): string {
  const field = (key: string): string => {
    const found = new RegExp(`^${key} = "(.*)"$`, 'm').exec(project)?.[1]
    if (found === undefined) throw new Error(`release: pyproject.toml has no ${key}`)
    return found
  }
  const dependencies = /^dependencies = \[(.*)\]$/m.exec(project)?.[1] ?? ''
  const needed = [...dependencies.matchAll(/"([^"]+)"/g)].map(([, requirement]) => `Requires-Dist: ${requirement}`)
  const lines = [
    'Metadata-Version: 2.4',
    `Name: ${name}`,
    `Version: ${version}`,
    `Summary: ${field('description')}`,
    `License-Expression: ${field('license')}`,
    'License-File: LICENSE',
    `Project-URL: Source, ${url}`,
    `Requires-Python: ${field('requires-python')}`,
    ...needed,
    'Description-Content-Type: text/markdown',
  ]
  return `${lines.join('\n')}\n`
}

/** Adds a wheel's list of its files with their digests; the list's own line has none. */
function withRecord(files: Files, record: string): Files {
  const lines = [...files].map(([path, content]) => {
    const bytes = Buffer.from(content)
    return `${path},sha256=${createHash('sha256').update(bytes).digest('base64url')},${bytes.length}\n`
  })
  return new Map([...files, [record, `${lines.join('')}${record},,\n`]])
}
