/** A line of Prometheus text. */
export type Sample = { readonly name: string; readonly labels: ReadonlyMap<string, string>; readonly value: number }

export type SampleReader = {
  /** Takes the next piece of the text, cut at any place. */
  push(text: string): void
  /** Reads the last line, which may have no line feed. */
  end(): void
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/
/** A label with the comma behind it, at the place where the label before ended. */
const LABEL = /\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,\s*|$)/y
/** Characters of a line. A longer one is skipped: no sample of the gateway is as long. */
const MOST_LINE = 8 * 1024

/** Reads Prometheus text and passes on the samples with the given names. Other lines are skipped. */
export function sampleReader(names: ReadonlySet<string>, take: (sample: Sample) => void): SampleReader {
  let begun = ''
  const read = (line: string): void => {
    const sample = sampleOf(line, names)
    if (sample !== undefined) take(sample)
  }
  return {
    push: (text) => {
      const lines = text.split('\n')
      lines[0] = begun + lines[0]
      begun = lines.pop() ?? ''
      // One character more, so that the line still counts as too long once it is whole.
      if (begun.length > MOST_LINE) begun = begun.slice(0, MOST_LINE + 1)
      for (const line of lines) read(line)
    },
    end: () => read(begun),
  }
}

function sampleOf(line: string, names: ReadonlySet<string>): Sample | undefined {
  if (line.length > MOST_LINE) return undefined
  const end = line.search(/[{ ]/)
  if (end < 1 || !names.has(line.slice(0, end))) return undefined
  const [, name = '', labels = '', value = ''] = LINE.exec(line) ?? []
  if (name === '') return undefined
  const read = labelsOf(labels)
  if (read === undefined) return undefined
  return { name, labels: read, value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value) }
}

/** Returns the labels; undefined for a text with other parts. Each character is looked at a few times at most. */
function labelsOf(text: string): Sample['labels'] | undefined {
  const labels = new Map<string, string>()
  // The expression keeps the place at which it goes on, so each text has its own.
  const label = new RegExp(LABEL)
  while (label.lastIndex < text.length) {
    const [, key = '', value = ''] = label.exec(text) ?? []
    if (key === '') return undefined
    labels.set(key, unescaped(value))
  }
  return labels
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))
}
