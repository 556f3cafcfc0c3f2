import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Header } from '../http/headers.ts'
import { Mask } from './mask.ts'
import { maskLocations } from './mask-locations.ts'
import { gatewayWith } from './transact-under-test.ts'

// Rules: docs/reference/record.md#masks

const MASKED = '[*****MASKED*****]'
const KIB = 1024

type Lengths = Readonly<Record<string, number>>

const cases: readonly (readonly [headers: Lengths, secrets: readonly string[], hidden: readonly string[]])[] = [
  [{ location: 8 * KIB }, ['long-secret'], []],
  [{ location: 8 * KIB + 1 }, ['long-secret'], ['location']],
  [{ link: 4 * KIB, refresh: 2 * KIB, location: 2 * KIB }, ['long-secret'], []],
  [{ link: 5 * KIB, location: 5 * KIB }, ['long-secret'], ['link']],
  [{ link: 1 * KIB, 'operation-location': 5 * KIB, location: 5 * KIB }, ['long-secret'], ['operation-location']],
  [{ link: 9 * KIB, location: 5 * KIB, 'content-location': 5 * KIB }, [], ['content-location']],
]

for (const [lengths, secrets, hidden] of cases) {
  const name = Object.entries(lengths).map(([header, length]) => `${length} bytes of ${header}`)
  test(`of ${name.join(', ')} with ${secrets.length} secrets is masked as a whole: ${hidden}`, async () => {
    const gateway = gatewayWith({ send: () => assert.fail(), close: async () => undefined }, [], [])
    const mask = new Mask(gateway.live.current)
    await gateway.bus.close()
    const headers = Object.entries(lengths).map(([lower, length]) => new Header(lower, ['/'.padEnd(length, 'a')]))
    const masked = maskLocations(new Map(headers.map((header) => [header.lower, header])), secrets, mask)
    const isHidden = [...masked.values()].filter(({ shownValues }) => shownValues[0] === MASKED)
    assert.deepEqual(
      isHidden.map(({ lower }) => lower),
      hidden,
    )
  })
}
