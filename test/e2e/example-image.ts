import { readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { execute } from '../../tools/cluster/execute.ts'
import { type TestImage, writeTestImage } from '../../tools/cluster/program-image.ts'
import { buildPrograms } from '../../tools/image/bundle/build-programs.ts'
import { bundlePlan } from '../../tools/image/bundle/bundle-plan.ts'
import { directory, type Entry, file } from '../../tools/image/entry.ts'
import { folderFiles } from '../../tools/image/folder-files.ts'
import type { ForeignExample } from '../conformance/foreign-example.ts'
import { linkedLibraries } from './linked-libraries.ts'

const ROOT = join(import.meta.dirname, '../..')

type Ready = Extract<ForeignExample, { kind: 'ready' }>
type Contents = Pick<TestImage, 'entries' | 'entrypoint' | 'environment'>

/** Parts of Python's library that programs don't need at run time. */
const NOT_NEEDED = /(^|\/)(__pycache__|test|tests|idlelib|tkinter|ensurepip|site-packages|dist-packages|config-[^/]+)\//
const WHERE = `
import json, os, sys, sysconfig
print(json.dumps([os.path.realpath(sys.executable), sysconfig.get_path('stdlib'), sysconfig.get_path('purelib')]))`

/** Writes an OCI archive with an example and its runtime from this machine. */
export async function writeExampleImage(
  example: Ready,
  image: Pick<TestImage, 'name' | 'out'>,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { entries, ...how } = await contentsOf(example, environment)
  writeTestImage({ ...how, ...image, entries: [...entries, directory('tmp', 0o1777)] })
}

function contentsOf(example: Ready, environment: NodeJS.ProcessEnv): Promise<Contents> {
  const [program] = example.args
  if (program === undefined) return compiledContents(example.command, environment)
  return program.endsWith('.ts')
    ? bundledContents({ node: example.command, program }, environment)
    : interpretedContents(example, environment)
}

/** Returns Node and the bundles of the program and of the SDK's threads. */
async function bundledContents(
  { node, program }: { readonly node: string; readonly program: string },
  environment: NodeJS.ProcessEnv,
): Promise<Contents> {
  const threads = bundlePlan(ROOT).filter(
    ({ source, isEntryPoint }) => !isEntryPoint && source.startsWith('processors/sdk/'),
  )
  const example = { source: relative(ROOT, program), name: 'example', isEntryPoint: false }
  const files = await buildPrograms(ROOT, [example, ...threads])
  const libraries = await linkedLibraries([node], environment)
  return {
    entries: [
      executable(node, 'node'),
      ...libraries,
      ...files.map(({ name, content }) => file(`app/${name}`, () => content)),
    ],
    entrypoint: ['/node', '/app/example.mjs'],
  }
}

async function compiledContents(program: string, environment: NodeJS.ProcessEnv): Promise<Contents> {
  const libraries = await linkedLibraries([program], environment)
  return { entries: [executable(program, 'program'), ...libraries], entrypoint: ['/program'] }
}

async function interpretedContents(
  { command, args: [program = ''] }: Ready,
  environment: NodeJS.ProcessEnv,
): Promise<Contents> {
  const { code, stdout, stderr } = await execute([command, '-c', WHERE], { environment })
  if (code !== 0) throw new Error(`python says: ${stderr}`)
  const places: readonly unknown[] = JSON.parse(stdout)
  const [python = '', library = '', packages = ''] = places.map(String)
  const version = basename(library)
  const shared = folderFiles(library).filter((path) => path.startsWith('lib-dynload/') && path.endsWith('.so'))
  const linked = await linkedLibraries([python, ...shared.map((path) => join(library, path))], environment)
  return {
    entries: [
      executable(python, 'python/bin/python3'),
      ...filesOf(library, `python/lib/${version}`),
      ...filesOf(packages, 'packages'),
      ...linked,
      file('app/example.py', () => readFileSync(program)),
    ],
    entrypoint: ['/python/bin/python3', '/app/example.py'],
    environment: { PYTHONHOME: '/python', PYTHONPATH: '/packages', PYTHONDONTWRITEBYTECODE: '1' },
  }
}

function executable(source: string, path: string): Entry {
  return file(path, () => readFileSync(source), 0o755)
}

function filesOf(folder: string, place: string): readonly Entry[] {
  const needed = folderFiles(folder).filter((path) => !NOT_NEEDED.test(path) && !path.startsWith('pip'))
  return needed.map((path) => file(`${place}/${path}`, () => readFileSync(join(folder, path))))
}
