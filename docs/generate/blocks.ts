/** A fenced block of a page. */
export type Block = {
  readonly page: string
  readonly line: number
  /** The text behind the opening fence: `json gl_config`. */
  readonly kind: string
  readonly text: string
}

const FENCE = /^(`{3,}|~{3,})(.*)$/

/** Returns the fenced blocks of a page; an open one ends with the page. */
export function blocksOf(page: string, text: string): readonly Block[] {
  const blocks: Block[] = []
  let open: OpenBlock | undefined
  for (const [at, line] of text.split('\n').entries()) {
    const [, fence = '', kind = ''] = FENCE.exec(line) ?? []
    if (open === undefined) {
      if (fence !== '') open = { fence, kind: kind.trim(), line: at + 1, lines: [] }
    } else if (fence.startsWith(open.fence) && kind.trim() === '') {
      blocks.push(closed(page, open))
      open = undefined
    } else open.lines.push(line)
  }
  return open === undefined ? blocks : [...blocks, closed(page, open)]
}

type OpenBlock = { readonly fence: string; readonly kind: string; readonly line: number; readonly lines: string[] }

function closed(page: string, { line, kind, lines }: OpenBlock): Block {
  return { page, line, kind, text: lines.join('\n') }
}
