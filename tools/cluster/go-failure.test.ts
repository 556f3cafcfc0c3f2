import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goFailure } from './build-program.ts'

const OUTPUTS: readonly (readonly [output: string, reason: string])[] = [
  ['spawn nice ENOENT', 'go is missing'],
  ["nice: 'go': No such file or directory", 'go is missing'],
  ['nice: ‘go’: No such file or directory', 'go is missing'],
  ['sh: 1: go: not found', 'go is missing'],
  ['go: go.mod requires go >= 1.25.0 (running go 1.19.8)', 'the Go on this machine is too old: 1.25.0 is needed'],
  ['k8s.io/api/core/v1\nwrite /tmp/x: no space left on device', 'the disk is full'],
  ['link: signal: killed', 'the memory is too small'],
  ['dial tcp: lookup proxy.example on [::1]:53: no such host', "the Go modules can't be fetched"],
  ['dial tcp 192.0.2.1:443: connect: connection refused', "the Go modules can't be fetched"],
  ['main.go: module lookup disabled by GOPROXY=off', "the Go modules can't be fetched"],
  ['k8s.io/api/core/v1\n# example.test/etcd\n./main.go:3:1: syntax error\n', './main.go:3:1: syntax error'],
  ['', 'the build failed'],
]

for (const [output, reason] of OUTPUTS) {
  test(`a failed build says: ${reason} (${JSON.stringify(output.slice(0, 30))})`, () => {
    assert.equal(goFailure(output), reason)
  })
}
