import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ContainerCommand, parseContainerCommand } from './container-command.ts'

const COMMANDS: readonly (readonly [line: string, command: ContainerCommand['kind'] | undefined])[] = [
  ['container', 'container'],
  ['container --with azure --root /elsewhere', 'container'],
  ['container --with ../../etc', 'usage'],
  ['container --with', 'usage'],
  ['container further', 'usage'],
  ['health', 'health'],
  ['health --ready', 'health'],
  ['health --with azure', 'usage'],
  ['-o file.json', undefined],
  ['', undefined],
]
for (const [line, kind] of COMMANDS)
  test(`main.ts ${line}: ${kind ?? 'not a container command'}`, () => {
    assert.equal(parseContainerCommand(line === '' ? [] : line.split(' '))?.kind, kind)
  })

test('--with options keep their order, so that files of a later set win', () => {
  const command = parseContainerCommand(['container', '--with', 'azure', '--with', 'elasticsearch'])
  assert.deepEqual(command, { kind: 'container', root: '/', sets: ['azure', 'elasticsearch'] })
})
