import { join } from 'node:path'
import { test } from 'node:test'
import { runInNetwork, whyNoNetwork } from '../starting/started-under-test.ts'

test('what the template starts serves on shares of Azure Files, empty ones and those of an earlier version', {
  skip: whyNoNetwork(),
}, async () => {
  await runInNetwork(join(import.meta.dirname, 'container-start-under-test.ts'), 2)
})
