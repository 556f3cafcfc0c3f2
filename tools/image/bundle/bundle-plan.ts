import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, resolve } from 'node:path'
import { isRunSource, PACKAGES, SDK_DEPENDENCIES, SDK_PACKAGES } from '../contents.ts'
import { folderFiles } from '../folder-files.ts'

/** A module that becomes a file of its own in the image. `source` is relative to the checkout. */
export type BundleEntry = {
  readonly source: string
  /** The name of the file in the folder of bundles, without its ending. */
  readonly name: string
  /** True: other programs use the source's path, at which the image has a link. */
  readonly isEntryPoint: boolean
}

/** The folder of the bundles in `app`. All are in one folder, so that their relative imports work. */
export const BUNDLE_FOLDER = 'bundle'

/** Programs of the image that a person starts in a running pod, beside the `src/main.ts` of each package. */
const COMMANDS = ['processors/nats2log/src/dead-letters.ts'] as const

/** Matches the module of a thread in a source. */
const THREAD = /new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g

/** Returns programs, public modules of packages, and the modules of threads; sorted. */
export function bundlePlan(root: string): readonly BundleEntry[] {
  const programs = PACKAGES.map((folder) => `${folder}/src/main.ts`).filter((path) => existsSync(join(root, path)))
  const entryPoints = [
    ...programs,
    ...COMMANDS,
    ...SDK_PACKAGES.flatMap((folder) => entryPointsOf(root, folder)),
    ...SDK_DEPENDENCIES,
  ]
  const threads = PACKAGES.flatMap((folder) => sourcesOf(root, folder)).flatMap((path) => threadsOf(root, path))
  const entries = [
    ...entryPoints.map((source) => ({ source, name: nameOf(source), isEntryPoint: true })),
    ...[...new Set(threads)].map((source) => ({ source, name: nameOf(source), isEntryPoint: false })),
  ]
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/**
 * Rewrites the paths in a source for its bundle: its threads become files beside the bundle; its folder becomes the
 * folder in the image, which has the layout of a checkout.
 */
export function relocate(text: string, source: string): string {
  const moved = text
    .replaceAll(THREAD, (_, path: string) => `new URL('./${nameOf(resolveBeside(source, path))}.mjs', import.meta.url)`)
    .replaceAll('import.meta.dirname', `(import.meta.dirname + '/../${posix.dirname(source)}')`)
  const left = moved.replaceAll(/\.mjs', import\.meta\.url\)|import\.meta\.dirname \+/g, '').includes('import.meta')
  if (left) throw new Error(`image: ${source} asks import.meta for something that a bundle doesn't know`)
  return moved
}

function entryPointsOf(root: string, folder: string): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const paths: readonly string[] = typeof exports === 'string' ? [exports] : Object.values(exports).filter(isSource)
  return paths.map((path) => posix.join(folder, path))
}

function isSource(path: unknown): path is string {
  return typeof path === 'string' && isRunSource(path.replace('./', ''))
}

function sourcesOf(root: string, folder: string): readonly string[] {
  return folderFiles(join(root, folder))
    .filter(isRunSource)
    .map((path) => `${folder}/${path}`)
}

function threadsOf(root: string, source: string): readonly string[] {
  const text = readFileSync(join(root, source), 'utf8')
  return [...text.matchAll(THREAD)].map(([, path = '']) => resolveBeside(source, path))
}

function resolveBeside(source: string, path: string): string {
  return relative('/', resolve('/', dirname(source), path))
}

function nameOf(source: string): string {
  return source
    .replace('/src/', '/')
    .replace(/\.[jt]s$/, '')
    .replaceAll('/', '-')
}
