import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCommandLine } from './command-line.ts'
import { parseImageName } from './image-name.ts'

const own = parseImageName('llm-gateway:0.1.0')
assert.ok(own !== undefined)
const built = { kind: 'build', epoch: 0, platforms: [], isRelease: false } as const

test('an archive is named after the version by default and dated 1970', () => {
  const target = { kind: 'archive', file: 'a.tar', name: own }
  assert.deepEqual(parseCommandLine(['--out', 'a.tar'], undefined, own), { ...built, target })
  assert.deepEqual(parseCommandLine(['--out', 'a.tar'], '', own), { ...built, target })
  const named = parseCommandLine(['--out', 'a.tar', '--name', 'x:1'], '7', own)
  assert.deepEqual(named, { ...built, epoch: 7, target: { ...target, name: parseImageName('x:1') } })
})

test('a tree has no name', () => {
  const tree = parseCommandLine(['--tree', 'a'], undefined, own)
  assert.deepEqual(tree, { ...built, target: { kind: 'tree', folder: 'a' } })
})

test('platforms have OCI’s names in any order, and a flag makes a release', () => {
  const argv = ['--out', 'a', '--platform', 'linux/arm64,linux/amd64', '--release']
  const command = parseCommandLine(argv, undefined, own)
  assert.ok(command.kind === 'build')
  assert.deepEqual(
    command.platforms.map(({ architecture }) => architecture),
    ['amd64', 'arm64'],
  )
  assert.equal(command.isRelease, true)
})

test('the flag for pinning stands alone', () => {
  assert.deepEqual(parseCommandLine(['--pin'], undefined, own), { kind: 'pin' })
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
  [['--pin', '--out', 'a']],
  [['--out', 'a', '--platform', 'linux/riscv64']],
  [['--out', 'a', '--platform', '']],
  [['--tree', 'a', '--platform', 'linux/amd64,linux/arm64']],
  [['--out', 'a'], 'yesterday'],
  [['--out', 'a'], '-1'],
  [['--out', 'a'], '1e99'],
]

test('other arguments print the usage', () => {
  for (const [argv, epoch] of WRONG) assert.equal(parseCommandLine(argv, epoch, own).kind, 'usage', argv.join(' '))
})
