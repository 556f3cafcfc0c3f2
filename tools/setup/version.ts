/** True when `found` (text that holds a version like `v2.10.27-beta`) is `minimum` or newer; pre-release parts don't count. */
export function isAtLeast(found: string, minimum: string): boolean {
  const [have, need] = [numbersOf(found), numbersOf(minimum)]
  if (have === undefined || need === undefined) return false
  const differing = need.findIndex((part, index) => part !== have[index])
  return differing === -1 || (have[differing] ?? 0) > (need[differing] ?? 0)
}

function numbersOf(text: string): readonly number[] | undefined {
  const match = /(\d+)\.(\d+)\.(\d+)/.exec(text)
  return match?.slice(1).map(Number)
}
