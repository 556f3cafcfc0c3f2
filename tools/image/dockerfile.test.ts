import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BUILD_FILES, BUNDLED_WORKSPACES, PACKAGES, TOP_FILES } from './contents.ts'
import { instruction, pairsOf, readStages } from './dockerfile-under-test.ts'
import { imageConfiguration } from './documents.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const [, build = [], image = []] = readStages(read('Dockerfile'))
const versions = JSON.parse(read('tools/versions.json'))
const { version, license, description } = JSON.parse(read('package.json'))

/** Top folders of our packages; the tool leaves out other files in them. */
const folders = [...new Set([...PACKAGES, ...BUNDLED_WORKSPACES].map((folder) => folder.split('/')[0] ?? ''))]
const wanted = [...folders, ...TOP_FILES, ...BUILD_FILES].toSorted()

test('the Dockerfile copies exactly the files of the lists', () => {
  const copied = build
    .filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from'))
    .flatMap(({ rest }) => rest.split(' ').slice(0, -1))
  assert.deepEqual(copied.toSorted(), wanted)
})

test('the Dockerfile copies each file to its path in a checkout', () => {
  for (const { rest } of build.filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from'))) {
    const paths = rest.split(' ')
    const target = paths.pop()
    assert.ok(target === './' ? paths.every((path) => !path.includes('/')) : paths.join() === target, rest)
  }
})

test('the build context has exactly the files that the Dockerfile copies', () => {
  const lines = read('.dockerignore').split('\n')
  assert.deepEqual(lines.filter((line) => !line.startsWith('#'))[0], '*')
  const admitted = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  assert.deepEqual(admitted, wanted)
  for (const pattern of ['**/node_modules', '**/.env', '**/.git']) assert.ok(lines.includes(pattern), pattern)
})

test('the Dockerfile uses the pinned versions', () => {
  const from = readStages(read('Dockerfile')).map((stage) => instruction(stage, 'FROM')?.split(' ')[0])
  const node = versions.node.packages['linux-x64'].version
  assert.deepEqual(from, [`golang:${versions.image.go}-bookworm`, `node:${node}-bookworm-slim`, 'scratch'])
})

test("the Dockerfile's image has the same command, user and environment as the archive's", () => {
  const release = { version, licence: license, title: 'llm-gateway', description, epoch: 0 }
  const { config } = imageConfiguration(release, 'amd64', [])
  assert.equal(instruction(image, 'USER'), config.User)
  assert.equal(instruction(image, 'WORKDIR'), config.WorkingDir)
  assert.equal(instruction(image, 'STOPSIGNAL'), config.StopSignal)
  assert.deepEqual([instruction(image, 'EXPOSE')], Object.keys(config.ExposedPorts))
  assert.deepEqual(JSON.parse(instruction(image, 'ENTRYPOINT') ?? ''), config.Entrypoint)
  assert.deepEqual(JSON.parse(instruction(image, 'CMD') ?? ''), config.Cmd)
  assert.deepEqual(pairsOf(image, 'LABEL'), config.Labels)
  assert.deepEqual(
    Object.entries(pairsOf(image, 'ENV')).map((pair) => pair.join('=')),
    config.Env,
  )
})
