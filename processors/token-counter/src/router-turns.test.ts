import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RouterTurns } from './router-turns.ts'

function scene(places: number, waiting: number) {
  const turns = new RouterTurns({ places, waiting })
  const entered: string[] = []
  const refused: string[] = []
  const enter = async (name: string): Promise<void> => {
    const has = await turns.enter(name.charAt(0))
    ;(has ? entered : refused).push(name)
  }
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return { turns, enter, entered, refused, settled }
}

test('routers take turns at the places', async () => {
  const { turns, enter, entered, refused, settled } = scene(1, 9)
  const all = Promise.all(['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(enter))
  await settled()
  assert.deepEqual(entered, ['a1'])
  for (let left = 0; left < 6; left += 1) {
    turns.leave()
    await settled()
  }
  await all
  assert.deepEqual([entered, refused], [['a1', 'a2', 'b1', 'c1', 'a3', 'b2'], []])
  // The last `leave` gave the place back.
  await enter('d1')
  assert.equal(entered.at(-1), 'd1')
})

test('where too many wait, the router with the most waiting works loses its newest', async () => {
  const { turns, enter, entered, refused, settled } = scene(1, 3)
  const all = Promise.all(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'].map(enter))
  await settled()
  assert.deepEqual(refused, ['a5', 'a4', 'b2', 'a3'])
  for (let left = 0; left < 4; left += 1) turns.leave()
  await all
  assert.deepEqual(entered, ['a1', 'a2', 'b1', 'c1'])
})
