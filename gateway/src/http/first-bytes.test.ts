import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FirstBytes } from './first-bytes.ts'

test('beyond the bound of first bytes the connections with the most of them are cut, and not the newest', () => {
  const firstBytes = new FirstBytes(100)
  const cut: number[] = []
  const holders = [30, 50, 10, 40].map((bytes) => ({ bytes, cut: () => cut.push(bytes) }))
  for (const holder of holders) firstBytes.add(holder, holder.bytes)
  assert.deepEqual([cut, firstBytes.waiting], [[50], 80])
  for (const holder of holders) firstBytes.remove(holder)
  assert.equal(firstBytes.waiting, 0)
})

test('of 50,000 connections whose first bytes wait, one is cut in some microseconds', () => {
  const most = 1_000_000
  const firstBytes = new FirstBytes(most)
  let cut = 0
  const add = (): void => firstBytes.add({ cut: () => (cut += 1) }, 20)
  for (let count = 0; count < most / 20; count += 1) add()
  const before = process.threadCpuUsage()
  for (let count = 0; count < 200; count += 1) add()
  const { user, system } = process.threadCpuUsage(before)
  assert.deepEqual([cut, firstBytes.waiting], [200, most])
  assert.ok(user + system < 50_000, `${user + system} microseconds of CPU`)
})

test('of connections with as many first bytes each, no newest one is cut', () => {
  const firstBytes = new FirstBytes(100)
  const cut: number[] = []
  for (let index = 0; index < 25; index += 1) firstBytes.add({ cut: () => cut.push(index) }, 10)
  assert.equal(cut.length, 15)
  for (const [nth, index] of cut.entries()) assert.ok(index < nth + 10, `${cut}`)
})

test('connections that leave the line of first bytes in any order give back their bytes', () => {
  const firstBytes = new FirstBytes(1_000)
  const cut: number[] = []
  const holders = [100, 101, 102, 103, 500].map((bytes, index) => ({ bytes, cut: () => cut.push(index) }))
  for (const holder of holders) firstBytes.add(holder, holder.bytes)
  const [first, second, , last] = holders
  assert.ok(first !== undefined && second !== undefined && last !== undefined)
  assert.deepEqual(
    [second, last, first, first].map((holder) => firstBytes.remove(holder)),
    [true, true, true, false],
  )
  assert.equal(firstBytes.waiting, 602)
  firstBytes.add(first, 100)
  firstBytes.add(second, 900)
  assert.deepEqual([cut, firstBytes.waiting], [[1], 702])
})
