import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, resolve } from 'node:path'
import { DOORS, FOREIGN_DOORS, isRunSource, PACKAGES } from '../contents.ts'
import { folderFiles } from '../folder-files.ts'

/** A module that the image has as a file of its own; paths are relative to the checkout, and to `app`. */
export type BundleEntry = {
  readonly source: string
  /** Of the file in the folder of bundles, without its ending. */
  readonly name: string
  /** Whether others know it by its source's path, which the image keeps as a link. */
  readonly isDoor: boolean
}

/** Where the bundles are in `app`: all in one folder, so that each finds the others beside itself. */
export const BUNDLE_FOLDER = 'bundle'

/** How a source names the module of a thread. */
const THREAD = /new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g

/** Programs, doors of packages, and the modules that threads are started with; sorted. */
export function bundlePlan(root: string): readonly BundleEntry[] {
  const programs = PACKAGES.map((folder) => `${folder}/src/main.ts`).filter((path) => existsSync(join(root, path)))
  const doors = [...programs, ...DOORS.flatMap((folder) => doorsOf(root, folder)), ...FOREIGN_DOORS]
  const threads = PACKAGES.flatMap((folder) => sourcesOf(root, folder)).flatMap((path) => threadsOf(root, path))
  const entries = [
    ...doors.map((source) => ({ source, name: nameOf(source), isDoor: true })),
    ...[...new Set(threads)].map((source) => ({ source, name: nameOf(source), isDoor: false })),
  ]
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/**
 * A source of ours as it is bundled. Its threads are files beside the bundle; its folder stays the one that it has in a
 * checkout, which the image has too.
 */
export function relocate(text: string, source: string): string {
  const moved = text
    .replaceAll(THREAD, (_, path: string) => `new URL('./${nameOf(beside(source, path))}.mjs', import.meta.url)`)
    .replaceAll('import.meta.dirname', `(import.meta.dirname + '/../${posix.dirname(source)}')`)
  const left = moved.replaceAll(/\.mjs', import\.meta\.url\)|import\.meta\.dirname \+/g, '').includes('import.meta')
  if (left) throw new Error(`image: ${source} asks import.meta for something that a bundle doesn't know`)
  return moved
}

function doorsOf(root: string, folder: string): readonly string[] {
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
  return [...text.matchAll(THREAD)].map(([, path = '']) => beside(source, path))
}

function beside(source: string, path: string): string {
  return relative('/', resolve('/', dirname(source), path))
}

function nameOf(source: string): string {
  return source
    .replace('/src/', '/')
    .replace(/\.[jt]s$/, '')
    .replaceAll('/', '-')
}
