import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ConfError, readDelivery } from './read-delivery.ts'

// Rules: docs/reference/configuration-rules.md#references, docs/reference/configuration-rules.md#status,
// docs/reference/kubernetes.md#delivery

async function folder(context: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'conf-load-'))
  context.after(() => rm(path, { recursive: true }))
  return path
}

function failsWith(code: string): (error: unknown) => boolean {
  return (error) => error instanceof ConfError && error.code === code
}

test('a value of SECRETS_DIR loses one trailing newline, and its file name is its name', async (context) => {
  const dir = await folder(context)
  const file = join(dir, 'gl_config.json')
  await writeFile(file, '{}')
  const secretsDir = join(dir, 'secrets')
  await mkdir(join(secretsDir, 'folder'), { recursive: true })
  const contents = { A: 'a\n', B: 'b\n\n', C: 'c', D: 'd\r\n', E: '', REVISION: '41\n', '.hidden': 'h' }
  for (const [name, text] of Object.entries(contents)) await writeFile(join(secretsDir, name), text)
  const delivery = await readDelivery({ file, secretsDir })
  assert.deepEqual(Object.fromEntries(delivery.secrets ?? []), {
    A: 'a',
    B: 'b\n',
    C: 'c',
    D: 'd',
    E: '',
    REVISION: '41',
  })
  assert.equal(delivery.valuesRevision, '41')
  assert.equal(Buffer.from(delivery.bytes).toString(), '{}')
})

test('without a file a delivery is an empty object and the values of SECRETS_DIR', async (context) => {
  const secretsDir = await folder(context)
  await writeFile(join(secretsDir, 'NATS_TOKEN'), 't\n')
  const delivery = await readDelivery({ secretsDir })
  assert.equal(Buffer.from(delivery.bytes).toString(), '{}')
  assert.equal(delivery.secrets?.get('NATS_TOKEN'), 't')
  assert.equal((await readDelivery({})).secrets, undefined)
})

test('a REVISION that isn’t a decimal number is ignored', async (context) => {
  const dir = await folder(context)
  await writeFile(join(dir, 'f'), '{}')
  await writeFile(join(dir, 'REVISION'), '4x')
  assert.equal('valuesRevision' in (await readDelivery({ file: join(dir, 'f'), secretsDir: dir })), false)
})

test('without SECRETS_DIR a delivery’s values are undefined, not empty', async (context) => {
  const dir = await folder(context)
  await writeFile(join(dir, 'f'), '{}')
  await mkdir(join(dir, 'empty'))
  assert.equal((await readDelivery({ file: join(dir, 'f') })).secrets, undefined)
  assert.equal((await readDelivery({ file: join(dir, 'f'), secretsDir: join(dir, 'empty') })).secrets?.size, 0)
})

test('an unreadable file or folder is reported by one of our error codes', async (context) => {
  const dir = await folder(context)
  const file = join(dir, 'f')
  await assert.rejects(readDelivery({ file }), failsWith('FILE_NOT_READABLE'))
  await writeFile(file, '{}')
  await assert.rejects(readDelivery({ file, secretsDir: join(dir, 'none') }), failsWith('SECRETS_DIR_NOT_READABLE'))
  await assert.rejects(readDelivery({ file: dir }), failsWith('FILE_TOO_LARGE'))
  await truncate(file, 64 * 1024 * 1024 + 1)
  await assert.rejects(readDelivery({ file }), failsWith('FILE_TOO_LARGE'))
})

test('a value of more than 1 MiB counts as missing', async (context) => {
  const dir = await folder(context)
  await writeFile(join(dir, 'f'), '{}')
  await mkdir(join(dir, 's'))
  await writeFile(join(dir, 's', 'BIG'), '')
  await truncate(join(dir, 's', 'BIG'), 1024 * 1024 + 1)
  assert.equal((await readDelivery({ file: join(dir, 'f'), secretsDir: join(dir, 's') })).secrets?.has('BIG'), false)
})

/**
 * Publishes as the kubelet does: names are links into `..data`, which one rename replaces; the old target is removed.
 */
async function publish(volume: string, serial: number): Promise<void> {
  const target = `..${serial}`
  await mkdir(join(volume, target))
  await writeFile(join(volume, target, 'gl_config.json'), JSON.stringify({ serial }))
  await writeFile(join(volume, target, 'KEY'), `${serial}`)
  await symlink(target, join(volume, '..data_tmp'))
  await rename(join(volume, '..data_tmp'), join(volume, '..data'))
  await rm(join(volume, `..${serial - 1}`), { recursive: true, force: true })
}

test('a volume swap never combines the file of one delivery with the values of another', async (context) => {
  const volume = await folder(context)
  await publish(volume, 1)
  for (const name of ['gl_config.json', 'KEY']) await symlink(join('..data', name), join(volume, name))
  let swapping = true
  const seen = new Set<string>()
  const swaps = (async () => {
    // On a busy machine reads may fail for long: the loop ends after enough swaps with enough reads between them.
    for (let serial = 2; serial <= 200 || (seen.size < 2 && serial <= 20_000); serial += 1)
      await publish(volume, serial)
    swapping = false
  })()
  while (swapping) {
    const delivery = await readDelivery({ file: join(volume, 'gl_config.json'), secretsDir: volume }).catch((error) => {
      assert.ok(failsWith('DELIVERY_CHANGING')(error), String(error))
    })
    if (delivery === undefined) continue
    const serial = delivery.secrets?.get('KEY') ?? ''
    assert.equal(Buffer.from(delivery.bytes).toString(), `{"serial":${serial}}`)
    seen.add(serial)
  }
  await swaps
  assert.ok(seen.size > 1, `saw ${seen.size} deliveries`)
})

test('values of more than 64 MiB together aren’t read', async (context) => {
  const dir = await folder(context)
  await writeFile(join(dir, 'f'), '{}')
  await mkdir(join(dir, 's'))
  for (let index = 0; index <= 64; index += 1) {
    await writeFile(join(dir, 's', `V${index}`), '')
    await truncate(join(dir, 's', `V${index}`), 1024 * 1024)
  }
  const place = { file: join(dir, 'f'), secretsDir: join(dir, 's') }
  await assert.rejects(readDelivery(place), failsWith('SECRETS_DIR_TOO_LARGE'))
  await rm(join(dir, 's', 'V64'))
  assert.equal((await readDelivery(place)).secrets?.size, 64)
})

test('a value that can’t be read, whatever the reason, is missing and leaves the others', async (context) => {
  const dir = await folder(context)
  await writeFile(join(dir, 'f'), '{}')
  await mkdir(join(dir, 's'))
  await writeFile(join(dir, 's', 'A'), 'a')
  await symlink('/nowhere/at/all', join(dir, 's', 'DANGLING'))
  await symlink('LOOP', join(dir, 's', 'LOOP'))
  await symlink('A/below', join(dir, 's', 'BELOW'))
  await symlink(`/${'long'.repeat(100)}`, join(dir, 's', 'LONG'))
  await symlink('/proc/self/mem', join(dir, 's', 'KERNEL'))
  await symlink('/proc/self/clear_refs', join(dir, 's', 'WRITE_ONLY'))
  const { secrets } = await readDelivery({ file: join(dir, 'f'), secretsDir: join(dir, 's') })
  assert.deepEqual([...(secrets ?? [])], [['A', 'a']])
})
