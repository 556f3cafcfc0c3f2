import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OwnerLines } from './owner-lines.ts'

function linesOf(counts: Readonly<Record<string, number>>): OwnerLines<string> {
  const lines = new OwnerLines<string>()
  let age = 0
  for (const [owner, count] of Object.entries(counts))
    for (let each = 0; each < count; each += 1) {
      age += 1
      lines.add(owner, age, `${owner} ${each}`)
    }
  return lines
}

function ofOwner(taken: readonly string[], owner: string): number {
  return taken.filter((member) => member.startsWith(`${owner} `)).length
}

test('owners share the picks, and a short line leaves its rest to the longer ones', () => {
  const lines = linesOf({ crowd: 1_000, few: 5, some: 40 })
  const taken = lines.take(90)
  assert.deepEqual(
    ['few', 'some', 'crowd'].map((owner) => ofOwner(taken, owner)),
    [5, 40, 45],
  )
})

test('a member of a crowd is taken from both ends of the line and within it, and none twice', () => {
  const lines = linesOf({ crowd: 100 })
  const turns = Array.from({ length: 4 }, () => lines.take(2))
  assert.deepEqual(turns, [
    ['crowd 99', 'crowd 98'],
    ['crowd 0', 'crowd 1'],
    ['crowd 97', 'crowd 96'],
    ['crowd 2', 'crowd 3'],
  ])
  const all = [...turns.flat(), ...lines.take(1_000)]
  assert.equal(new Set(all).size, 100)
  assert.ok(lines.isEmpty)
})

test('with more owners than picks each owner has its turn', () => {
  const lines = linesOf(Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`r${index}`, 2])))
  const owners = [lines.take(4), lines.take(4), lines.take(4)].flat().map((member) => member.split(' ')[0])
  assert.equal(new Set(owners).size, 10)
})

test('a member that left is not taken, and an owner without members takes no part of the picks', () => {
  const lines = linesOf({ crowd: 10, few: 1 })
  assert.ok(lines.delete('few 0'))
  assert.ok(!lines.delete('few 0'))
  assert.equal(lines.take(10).length, 10)
})
