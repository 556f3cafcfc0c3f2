/** Where parts are made; what is kept lies in `.tools/image` of the checkout. */
export type Workshop = {
  /** The checkout. */
  readonly root: string
  readonly environment: NodeJS.ProcessEnv
  /** A release holds to every pin; another build says what it took instead. */
  readonly isRelease: boolean
  readonly say: (line: string) => void
}

/** A file or folder that goes into an image, or why there is none. */
export type Part =
  | { readonly kind: 'ready'; readonly path: string }
  | { readonly kind: 'unavailable'; readonly reason: string }
