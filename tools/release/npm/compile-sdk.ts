import { readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { folderFiles } from '../../image/folder-files.ts'
import type { Files } from '../archive.ts'
import type { ReleaseBuild } from '../artefact.ts'
import { runProgram } from '../run-program.ts'

/** Packages that the published package contains, and their folders there. */
const PARTS = [
  { folder: 'processors/sdk', name: '@llm-gateway/sdk', target: 'sdk' },
  { folder: 'processors/protocol', name: '@llm-gateway/protocol', target: 'protocol' },
  { folder: 'conf', name: '@llm-gateway/conf', target: 'conf' },
] as const
/** Public modules of the published package; other modules serve only our own programs. */
const DOORS = ['.', './thread', './settings', './context-under-test'] as const
/** Modules that start as a thread by their URL, so no import names them. */
const THREADS = ['processors/sdk/src/messages/selected-fields-thread.ts'] as const
/** `from './x.ts'`, `import('./x.ts')` and `new URL('./x.ts', …)`. */
const RELATIVE = /((?:from|import\(|new URL\() ?['"]\.{1,2}\/[^'"]*)\.ts(['"])/g
const OURS = /(['"])(@llm-gateway\/[a-z-]+)(\/[a-z-]+)?\1/g

export type CompiledSdk = {
  /** JavaScript and types below `dist`. */
  readonly files: Files
  /** Public module → source file in `dist`, without its ending. */
  readonly doors: ReadonlyMap<string, string>
}

/** Compiles the SDK, and its imports from our other packages, to JavaScript and types. */
export async function compileSdk(releaseBuild: ReleaseBuild): Promise<CompiledSdk> {
  const { stage, scratch, environment } = releaseBuild
  const places = PARTS.flatMap(({ folder, name }) =>
    [...doorsOf(stage, folder)].map(([door, source]) => [posix.join(name, door), posix.join(folder, source)] as const),
  )
  const sources = DOORS.map((door) => sourceOf(new Map(places), posix.join('@llm-gateway/sdk', door)))
  const [project, compiled] = [join(scratch, 'tsconfig.sdk.json'), join(scratch, 'sdk-compiled')]
  const here = (path: string): string => join(stage, path)
  const options = {
    noEmit: false,
    declaration: true,
    outDir: compiled,
    rootDir: stage,
    typeRoots: [here('node_modules/@types')],
    rewriteRelativeImportExtensions: true,
    allowImportingTsExtensions: false,
    newLine: 'lf',
    // Our packages are resolved to their sources, since the compiler emits nothing for files below node_modules.
    paths: Object.fromEntries(places.map(([name, source]) => [name, [here(source)]])),
  }
  const files = [...sources, ...THREADS].map(here)
  writeFileSync(project, JSON.stringify({ extends: here('tsconfig.base.json'), compilerOptions: options, files }))
  const compiler = join(stage, 'node_modules/typescript/bin/tsc')
  await runProgram([process.execPath, compiler, '-p', project], { cwd: stage, environment })
  const targets = new Map(places.map(([name, source]) => [name, distPath(source)]))
  const emitted = folderFiles(compiled).map((path) => {
    const target = distPath(path)
    return [`dist/${target}`, linked(readFileSync(join(compiled, path), 'utf8'), target, targets)] as const
  })
  const doors = DOORS.map((door) => [door, stemOf(sourceOf(targets, posix.join('@llm-gateway/sdk', door)))] as const)
  return { files: new Map(emitted), doors: new Map(doors) }
}

function doorsOf(stage: string, folder: string): ReadonlyMap<string, string> {
  return new Map(Object.entries(JSON.parse(readFileSync(join(stage, folder, 'package.json'), 'utf8')).exports))
}

/** Returns the path in the published package: `processors/sdk/src/x.ts` becomes `sdk/x.ts`. */
function distPath(source: string): string {
  const part = PARTS.find(({ folder }) => source.startsWith(`${folder}/src/`))
  if (part === undefined) throw new Error(`release: ${source} is in no package of the SDK`)
  return `${part.target}${source.slice(`${part.folder}/src`.length)}`
}

/** Rewrites imports to the compiled files, including imports of our other packages. */
function linked(text: string, file: string, targets: ReadonlyMap<string, string>): string {
  return text.replaceAll(RELATIVE, '$1.js$2').replaceAll(OURS, (_, quote: string, name: string, door = '') => {
    const path = posix.relative(posix.dirname(file), `${stemOf(sourceOf(targets, `${name}${door}`))}.js`)
    return `${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`
  })
}

function sourceOf(places: ReadonlyMap<string, string>, name: string): string {
  const source = places.get(name)
  if (source === undefined) throw new Error(`release: the SDK imports ${name}, which is no public module of a package`)
  return source
}

function stemOf(path: string): string {
  return path.replace(/\.ts$/, '')
}
