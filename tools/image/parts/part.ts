/** The settings of a build. Parts are made and kept in `.tools/image` of the checkout. */
export type ImageBuild = {
  /** The root of the checkout. */
  readonly root: string
  readonly environment: NodeJS.ProcessEnv
  /** True: every pin must hold. False: a build may take something else and says so. */
  readonly isRelease: boolean
  readonly say: (line: string) => void
}

/** A file or folder for an image, or the reason why it is missing. */
export type Part =
  | { readonly kind: 'ready'; readonly path: string }
  | { readonly kind: 'unavailable'; readonly reason: string }
