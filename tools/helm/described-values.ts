import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** A value of the chart as values.yaml describes it. */
export type DescribedValue = {
  /** The path of the value: `operator.replicas`. */
  readonly path: string
  readonly text: string
  /** The value in values.yaml. */
  readonly preset: unknown
}

const COMMENT = /^ *# ([A-Za-z.]+) -- (.+)$/gm

/**
 * Returns the values of a chart with a comment, in their order; throws when a comment names a value that doesn't exist.
 */
export function describedValues(chart: string): readonly DescribedValue[] {
  const text = readFileSync(join(chart, 'values.yaml'), 'utf8')
  const values: unknown = parse(text)
  return [...text.matchAll(COMMENT)].map(([, path = '', description = '']) => ({
    path,
    text: description,
    preset: valueAt(values, path),
  }))
}

/** Returns the values without a comment of their own or of a value above them. */
export function undescribedValues(chart: string): readonly string[] {
  const described = new Set(describedValues(chart).map(({ path }) => path))
  const values: unknown = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'))
  return leaves(values, '', described)
}

function leaves(value: unknown, path: string, described: ReadonlySet<string>): readonly string[] {
  if (described.has(path)) return []
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  return Object.entries(value).flatMap(([name, child]) =>
    leaves(child, path === '' ? name : `${path}.${name}`, described),
  )
}

function valueAt(values: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    const entry =
      typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name) : undefined
    if (entry === undefined) throw new Error(`values.yaml describes ${path}, but has no such value`)
    return entry[1]
  }, values)
}
