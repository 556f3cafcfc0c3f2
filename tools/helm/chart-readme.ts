import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DescribedValue, describedValues } from './described-values.ts'

const BEGIN = '<!-- values: written by `make generate` -->'
const END = '<!-- end of values -->'

/** Returns a chart's README.md with a new table of its values; the text around the table is written by hand. */
export function chartReadme(chart: string): string {
  const text = readFileSync(join(chart, 'README.md'), 'utf8')
  const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (before < 0 || after < before) throw new Error(`${chart}/README.md has no markers for the table of values`)
  return `${text.slice(0, before)}${BEGIN}\n\n${tableOf(describedValues(chart))}\n\n${text.slice(after)}`
}

function tableOf(values: readonly DescribedValue[]): string {
  const rows = values.map(({ path, text, preset }) => [
    `\`${path}\``,
    `\`${JSON.stringify(preset)}\``,
    text.replaceAll('|', '\\|'),
  ])
  const cells = [['value', 'default', 'meaning'], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = cells
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [line(head), rule, ...body.map(line)].join('\n')
}
