import { parseArgs } from 'node:util'

/** The supervisor's commands in a container. */
export type ContainerCommand =
  | { readonly kind: 'container'; readonly root: string; readonly sets: readonly string[] }
  | { readonly kind: 'health'; readonly root: string; readonly isReadiness: boolean }
  | { readonly kind: 'usage'; readonly message: string }

const USAGE = {
  kind: 'usage',
  message: `usage: container [--with SET]... [--root FOLDER] | health [--ready] [--root FOLDER]
  container      prepare the folders of a container and run its services
  health         check the gateway of this container: exit 0 where it is well, else 1
  --with SET     add a set of configuration files, such as azure
  --ready        check readiness instead of liveness
  --root FOLDER  the folder that holds app/, by default /`,
} as const

/** Parses `container` and `health`; returns undefined where the first word is neither. `--root` replaces `/`. */
export function parseContainerCommand(argv: readonly string[]): ContainerCommand | undefined {
  const [kind, ...args] = argv
  const root = { root: { type: 'string', default: '/' } } as const
  try {
    if (kind === 'container') {
      const { values } = parseArgs({
        args,
        options: { ...root, with: { type: 'string', multiple: true, default: [] } },
      })
      const isNamed = values.with.every((name) => /^[a-z]+$/.test(name))
      return isNamed ? { kind, root: values.root, sets: values.with } : USAGE
    }
    if (kind === 'health') {
      const { values } = parseArgs({ args, options: { ...root, ready: { type: 'boolean', default: false } } })
      return { kind, root: values.root, isReadiness: values.ready }
    }
    return undefined
  } catch (error) {
    if (error instanceof TypeError) return USAGE
    throw error
  }
}
