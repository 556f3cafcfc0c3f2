import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { waitForFolderLock } from './folder-lock.ts'

test('a folder’s second lock is taken once the first is released', async () => {
  await using root = await temporaryFolder()
  const folder = join(root.path, 'page')
  const order: string[] = []
  const first = await waitForFolderLock(folder)
  const second = waitForFolderLock(folder).then((lock) => {
    order.push('second taken')
    lock.release()
  })
  await new Promise((resolve) => setTimeout(resolve, 150))
  order.push('first released')
  first.release()
  await second
  assert.deepEqual(order, ['first released', 'second taken'])
})
