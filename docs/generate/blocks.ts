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
  let open:
    | { readonly fence: string; readonly kind: string; readonly line: number; readonly lines: string[] }
    | undefined
  for (const [at, line] of text.split('\n').entries()) {
    const [, fence = '', kind = ''] = FENCE.exec(line) ?? []
    if (open === undefined) {
      if (fence !== '') open = { fence, kind: kind.trim(), line: at + 1, lines: [] }
    } else if (fence.startsWith(open.fence) && kind.trim() === '') {
      blocks.push({ page, line: open.line, kind: open.kind, text: open.lines.join('\n') })
      open = undefined
    } else open.lines.push(line)
  }
  return blocks
}
