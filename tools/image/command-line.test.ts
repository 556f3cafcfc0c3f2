import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCommandLine } from './command-line.ts'
import { parseImageName } from './image-name.ts'

const own = parseImageName('llm-gateway:0.1.0')
assert.ok(own !== undefined)

test('an archive is named after the version unless it is told otherwise, and dated 1970', () => {
  const target = { kind: 'archive', file: 'a.tar', name: own }
  assert.deepEqual(parseCommandLine(['--out', 'a.tar'], undefined, own), { kind: 'build', epoch: 0, target })
  assert.deepEqual(parseCommandLine(['--out', 'a.tar'], '', own), { kind: 'build', epoch: 0, target })
  const named = parseCommandLine(['--out', 'a.tar', '--name', 'x:1'], '7', own)
  assert.deepEqual(named, { kind: 'build', epoch: 7, target: { ...target, name: parseImageName('x:1') } })
})

test('a tree has no name', () => {
  const built = parseCommandLine(['--tree', 'a'], undefined, own)
  assert.deepEqual(built, { kind: 'build', epoch: 0, target: { kind: 'tree', folder: 'a' } })
})

const WRONG: readonly (readonly [argv: readonly string[], epoch?: string])[] = [
  [[]],
  [['--out', '']],
  [['--out', 'a', '--tree', 'b']],
  [['--tree', 'b', '--name', 'x:1']],
  [['--out', 'a', '--name', 'no tag']],
  [['--out']],
  [['--other', 'a']],
  [['a.tar']],
  [['--out', 'a'], 'yesterday'],
  [['--out', 'a'], '-1'],
  [['--out', 'a'], '1e99'],
]

test('anything else is answered with the usage', () => {
  for (const [argv, epoch] of WRONG) assert.equal(parseCommandLine(argv, epoch, own).kind, 'usage', argv.join(' '))
})
