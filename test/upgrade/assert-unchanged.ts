import assert from 'node:assert/strict'

/** Asserts that each former value is unchanged. Another version may add values. */
export function assertUnchanged(before: unknown, now: unknown, place: string): void {
  if (typeof before !== 'object' || before === null) {
    assert.deepEqual(now, before, place)
    return
  }
  if (Array.isArray(before))
    assert.ok(Array.isArray(now) && now.length === before.length, `${place} is as long as before`)
  for (const [key, value] of Object.entries(before))
    assertUnchanged(
      value,
      typeof now === 'object' && now !== null ? Reflect.get(now, key) : undefined,
      `${place}.${key}`,
    )
}
