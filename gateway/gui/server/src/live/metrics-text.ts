/** One line of Prometheus text. */
export type Sample = { readonly name: string; readonly labels: ReadonlyMap<string, string>; readonly value: number }

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

/** The lines of a text whose names are asked for; others, and what is no sample, are passed over. */
export function* samplesOf(text: string, names: ReadonlySet<string>): Generator<Sample> {
  for (const line of text.split('\n')) {
    const end = line.search(/[{ ]/)
    if (end < 1 || !names.has(line.slice(0, end))) continue
    const [, name = '', labels = '', value = ''] = LINE.exec(line) ?? []
    if (name === '') continue
    const pairs = [...labels.matchAll(LABEL)].map(([, key = '', text = '']) => [key, unescaped(text)] as const)
    yield { name, labels: new Map(pairs), value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value) }
  }
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))
}
