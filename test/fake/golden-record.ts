import assert from 'node:assert/strict'

/** RFC 3339 with nanoseconds. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/
const ID = /\b([A-Z0-9]{8})_\d{19}_\d+_(\d+)\b/g
const TIMER = ['duration', 'start', 'stop']

/**
 * Replaces the parts of a record that differ between runs, so that it can be compared as a whole: `<timer>` for timers,
 * which are checked here, `<id>` for the middle parts of ids, `<date>` for Date headers, and the texts in `replace` by
 * their names.
 */
export function golden(value: unknown, replace: Readonly<Record<string, string>> = {}): unknown {
  if (typeof value === 'string') return goldenText(value, replace)
  if (Array.isArray(value)) return value.map((entry) => golden(entry, replace))
  if (typeof value !== 'object' || value === null) return value
  // Sorted, since JSON objects have no order and a golden's diff should show only real changes.
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  const names = members.map(([name]) => name)
  if (names.join() === TIMER.join()) return goldenTimer(new Map(members))
  return Object.fromEntries(members.map(([name, held]) => [name, name === 'Date' ? ['<date>'] : golden(held, replace)]))
}

function goldenText(text: string, replace: Readonly<Record<string, string>>): string {
  const named = Object.entries(replace).reduce((all, [from, to]) => all.replaceAll(from, to), text)
  return named.replace(ID, '$1_<id>_$2')
}

/** Checks the form of a timer (docs/reference/record.md#shared-forms). */
function goldenTimer(timer: ReadonlyMap<string, unknown>): string {
  const [start, stop, duration] = ['start', 'stop', 'duration'].map((name) => timer.get(name))
  assert.match(String(start), TIME)
  assert.match(String(stop), TIME)
  assert.ok(String(stop) >= String(start), `${stop} is before ${start}`)
  assert.ok(Number.isInteger(duration), 'whole milliseconds')
  assert.ok(
    Math.abs(milliseconds(stop) - milliseconds(start) - Number(duration)) <= 1,
    'the duration is the difference',
  )
  return '<timer>'
}

function milliseconds(time: unknown): number {
  return Date.parse(`${String(time).slice(0, 23)}Z`)
}
