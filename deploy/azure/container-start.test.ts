import { join } from 'node:path'
import { test } from 'node:test'
import { runInNetwork, whyNoNetwork } from '../starting/started-under-test.ts'

test('the container of the template serves on empty, older and read-only shares of Azure Files, with a web interface', {
  skip: whyNoNetwork(),
}, async () => {
  await runInNetwork(join(import.meta.dirname, 'container-start-under-test.ts'), 4)
})
