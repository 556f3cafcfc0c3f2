/** A line of Prometheus text. */
export type Sample = { readonly name: string; readonly labels: ReadonlyMap<string, string>; readonly value: number }

export type SampleReader = {
  /** Takes the next piece of the text, cut at any place. */
  push(text: string): void
  /** Reads the last line, which may have no line feed. */
  end(): void
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g
/** Characters of an unfinished line that are kept; no sample of the gateway is longer. */
const MOST_LINE = 64 * 1024

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
      if (begun.length > MOST_LINE) begun = begun.slice(0, MOST_LINE)
      for (const line of lines) read(line)
    },
    end: () => read(begun),
  }
}

function sampleOf(line: string, names: ReadonlySet<string>): Sample | undefined {
  const end = line.search(/[{ ]/)
  if (end < 1 || !names.has(line.slice(0, end))) return undefined
  const [, name = '', labels = '', value = ''] = LINE.exec(line) ?? []
  if (name === '') return undefined
  const pairs = [...labels.matchAll(LABEL)].map(([, key = '', text = '']) => [key, unescaped(text)] as const)
  return { name, labels: new Map(pairs), value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value) }
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))
}
