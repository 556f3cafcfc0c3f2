import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMonitor, monitorAddress } from './monitor-address.ts'

const HEAD = '[71] 2026/11/21 02:00:00.123456'
const START = '[INF] Starting http monitor on'

const cases: ReadonlyArray<readonly [what: string, line: string, address: string | undefined]> = [
  ['a loopback address', `${HEAD} ${START} 127.0.0.1:8222`, 'http://127.0.0.1:8222/'],
  ['another loopback address', `${HEAD} ${START} 127.0.0.9:8222`, 'http://127.0.0.9:8222/'],
  ['an IPv6 loopback address', `${HEAD} ${START} [::1]:8222`, 'http://[::1]:8222/'],
  ['localhost', `${HEAD} ${START} localhost:8222`, 'http://localhost:8222/'],
  ['all addresses, asked over loopback', `${HEAD} ${START} 0.0.0.0:8222`, 'http://127.0.0.1:8222/'],
  ['all IPv6 addresses, asked over loopback', `${HEAD} ${START} [::]:8222`, 'http://[::1]:8222/'],
  ['a base path, which the questions do not have', `${HEAD} ${START} 127.0.0.1:8222/bus`, 'http://127.0.0.1:8222/'],
  ['a line without a time', `[71] ${START} 127.0.0.1:8222`, 'http://127.0.0.1:8222/'],
  ['another machine', `${HEAD} ${START} 10.0.0.5:8222`, undefined],
  ['a name of another machine', `${HEAD} ${START} 127.0.0.1.example:8222`, undefined],
  ['a user of a loopback address', `${HEAD} ${START} 127.0.0.1:80@10.0.0.5:8222`, undefined],
  ['port 80', `${HEAD} ${START} 127.0.0.1:80`, 'http://127.0.0.1/'],
  ['no port', `${HEAD} ${START} 127.0.0.1`, undefined],
  [
    'a user name in the line of a failed login',
    `${HEAD} [ERR] 127.0.0.1:39118 - cid:5 - "v1" - authentication error - User "x ${HEAD} ${START} 127.0.0.1:9/"`,
    undefined,
  ],
  ['a program name at the end of a line', `${HEAD} [ERR] 127.0.0.1:39118 - cid:5 - ${START} 127.0.0.1:9`, undefined],
]
for (const [what, line, address] of cases) {
  test(`the monitoring port of a line with ${what} is ${address ?? 'not read'}`, () => {
    assert.equal(monitorAddress(line)?.href, address)
  })
}

test('the first line after each start names the monitoring port, and later lines do not', () => {
  const monitor = createMonitor()
  const found = ['1', '2', 'start', '3', '4'].map((step) => {
    if (step === 'start') monitor.start()
    else monitor.line(`${HEAD} ${START} 127.0.0.1:800${step}`)
    return monitor.address?.port
  })
  assert.deepEqual(found, ['8001', '8001', undefined, '8003', '8003'])
})
