import { join } from 'node:path'
import { previousCheckout } from './previous-checkout.ts'
import { previousImage } from './previous-image.ts'
import { writeFixtures } from './write-fixtures.ts'

const root = join(import.meta.dirname, '../..')
const reason = await runCommand(process.argv.slice(2).join(' '))
if (reason !== undefined) console.error(`previous: ${reason}`)
process.exitCode = reason === undefined ? 0 : 1

async function runCommand(command: string): Promise<string | undefined> {
  switch (command) {
    case 'image': {
      const image = await previousImage(root, process.env)
      if (image.kind === 'ready') console.log(image.path)
      return image.kind === 'ready' ? undefined : image.reason
    }
    case 'checkout': {
      const checkout = await previousCheckout(root, process.env)
      if (checkout.kind === 'ready') console.log(checkout.folder)
      return checkout.kind === 'ready' ? undefined : checkout.reason
    }
    case 'fixtures':
      return await writeFixtures(root, process.env)
    default:
      return `usage: node tools/previous/main.ts checkout | image | fixtures
  checkout  prints where the previous version's files are, ready to run
  image     prints where its image is, an OCI archive
  fixtures  writes test/fixtures/previous anew, after versions.json named another commit`
  }
}
