/** A name `NAME:TAG`: as people write it (`short`) and as container engines store it (`full`). */
export type ImageName = { readonly short: string; readonly full: string; readonly tag: string }

const NAME = /^(?:[a-z0-9][a-z0-9.-]*(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*:([A-Za-z0-9_][A-Za-z0-9._-]{0,127})$/

/**
 * Parses `NAME:TAG`; undefined for a malformed name. A name without a host is completed as every engine does, since a
 * kubelet asks for the completed name.
 */
export function parseImageName(text: string): ImageName | undefined {
  const tag = NAME.exec(text)?.[1]
  if (tag === undefined) return undefined
  const first = text.split('/')[0] ?? ''
  const hasHost = text.includes('/') && (/[.:]/.test(first) || first === 'localhost')
  if (hasHost) return { short: text, full: text, tag }
  return { short: text, full: `docker.io/${text.includes('/') ? '' : 'library/'}${text}`, tag }
}
