/** The characters that a thread processes at a time; shorter texts are processed between the pieces of a long text. */
export const PIECE_LENGTH = 4_096
/** The largest share of the kept part that a cut may give up to avoid splitting a name. */
const SEARCHED = 0.5

/** Returns the place to cut a text, at most `limit`: after a paragraph, else a sentence, else a word. */
export function cutAt(text: string, limit: number): number {
  if (text.length <= limit) return text.length
  const head = text.slice(0, limit)
  const least = Math.floor(limit * SEARCHED)
  for (const end of [head.lastIndexOf('\n') + 1, sentenceEnd(head), lastSpace(head) + 1]) if (end > least) return end
  // Doesn't cut a surrogate pair.
  return limit > 1 && /[\ud800-\udbff]$/.test(head) ? limit - 1 : limit
}

/** Cuts a text into pieces of at most `limit`, between paragraphs, sentences or words where possible. */
export function* pieces(text: string, limit: number): Generator<string> {
  for (let rest = text; rest !== ''; ) {
    const end = cutAt(rest, limit)
    yield rest.slice(0, end)
    rest = rest.slice(end)
  }
}

function sentenceEnd(head: string): number {
  return Math.max(...['. ', '! ', '? ', '。'].map((mark) => head.lastIndexOf(mark) + mark.length))
}

function lastSpace(head: string): number {
  return Math.max(head.lastIndexOf(' '), head.lastIndexOf('\t'))
}

/**
 * Joins the last texts, of at most `limit` characters without the separators: in a chat the last message matters most.
 * `cut`: a part is left out.
 */
export function joinTexts(texts: readonly string[], limit: number): { readonly text: string; readonly cut: boolean } {
  const kept: string[] = []
  let left = limit
  for (const text of texts.toReversed()) {
    if (left <= 0) return { text: kept.toReversed().join(BREAK), cut: true }
    const end = cutAt(text, left)
    kept.push(text.slice(0, end))
    if (end < text.length) return { text: kept.toReversed().join(BREAK), cut: true }
    left -= end
  }
  return { text: kept.toReversed().join(BREAK), cut: false }
}

/** The separator of joined texts: no name spans an empty line. */
const BREAK = '\n\n'
