import { basename, dirname, join, resolve } from 'node:path'
import { type Command, findCommand, type GuiConfig, type ProgramFolders } from '@llm-gateway/conf'
import { type FileName, fileNameSchema } from '@llm-gateway/gui-api'

/** A configuration file that is edited. Its path comes from the configuration: no request names a path. */
export type KnownFile = {
  readonly name: FileName
  readonly kind: 'json' | 'nats'
  /** The path that programs read. */
  readonly live: string
  readonly service: string
  readonly takesEffect: 'at_once' | 'service_restart' | 'by_hand'
  /** Returns the command that judges a file; undefined if there is none. */
  readonly judge: ((file: string) => Command) | undefined
}

/** Returns the configuration files that gui_config.json names, and gui_config.json itself; at most seven. */
export function knownFiles(
  own: string,
  config: Pick<GuiConfig, 'services'>,
  places: ProgramFolders,
): ReadonlyMap<FileName, KnownFile> {
  const files = new Map<FileName, KnownFile>()
  const ownFile = { ...OWN_PROGRAM, configuration_file: own }
  for (const service of [ownFile, ...config.services]) {
    const name = fileNameSchema.safeParse(basename(service.configuration_file)).data
    if (name === undefined || files.has(name)) continue
    const { file, config_command: configCommand, validate_command: validate } = service
    files.set(name, {
      name,
      kind: name === 'nats-server.conf' ? 'nats' : 'json',
      live: resolve(service.configuration_file),
      service: service.name,
      takesEffect: name === 'gl_config.json' ? 'at_once' : name === 'ginit_config.json' ? 'by_hand' : 'service_restart',
      judge: validate === '' ? undefined : (path) => findCommand(file, [configCommand, path, validate], places),
    })
  }
  return files
}

/** A copy of this program judges gui_config.json, as the programs of the other files judge theirs. */
const OWN_PROGRAM = {
  name: 'gui',
  file: 'gateway/gui/server/src/main.ts',
  config_command: '-o',
  validate_command: '--validate',
} as const

/** Returns a folder for the web interface's own files. No program reads its files from this folder. */
export function ownFolder(folder: string, files: ReadonlyMap<FileName, KnownFile>, subfolder: string): string {
  const path = resolve(folder)
  return [...files.values()].some(({ live }) => dirname(live) === path) ? join(path, subfolder) : path
}
