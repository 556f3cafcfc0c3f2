/** No answer is nested deeper but one that is made to be: it can be read but not written again, as serializing recurses. */
const MAX_DEPTH = 256

/** Whether a JSON value can be written again. */
export function isShallow(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1))
}
