import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goModules } from './go-modules.ts'
import { unknownLicences } from './licences.ts'

const HEAD =
  '/x/nats-server: go1.26.8\n\tpath\tgithub.com/nats-io/nats-server/v2\n\tmod\tgithub.com/nats-io/nats-server/v2\t(devel)\t\n'
const KNOWN = '\tdep\tgolang.org/x/sys\tv0.48.0\th1:bbX/i/6MgT9BVLM9RT1thmxL04yeTAhbEz4SyadbXoo=\n'
const OTHER = '\tdep\texample.org/other\tv1.0.0\th1:AAAA=\n'

test('the modules of a program are named with their sums, the standard library among them', () => {
  const [library, module, ...more] = goModules(`${HEAD}${KNOWN}\tbuild\t-trimpath=true\n`, 'image')
  assert.equal(library?.purl, 'pkg:golang/std@1.26.8')
  assert.equal(module?.purl, 'pkg:golang/golang.org/x/sys@v0.48.0')
  assert.equal(module?.sum, 'h1:bbX/i/6MgT9BVLM9RT1thmxL04yeTAhbEz4SyadbXoo=')
  assert.deepEqual(more, [])
})

test('a module with an unknown licence ends a release', () => {
  assert.deepEqual(unknownLicences(goModules(`${HEAD}${KNOWN}`, 'image')), [])
  assert.deepEqual(unknownLicences(goModules(`${HEAD}${OTHER}`, 'image')), ['example.org/other v1.0.0: none'])
})

test("an output that Go doesn't write is an error", () => {
  assert.throws(() => goModules('no such file\n', 'image'), /no version of Go/)
})
