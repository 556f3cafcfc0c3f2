import { join } from 'node:path'
import { buildImage, defaultName } from './build-image.ts'
import { parseCommandLine } from './command-line.ts'

const root = join(import.meta.dirname, '../..')
const command = parseCommandLine(process.argv.slice(2), process.env.SOURCE_DATE_EPOCH, defaultName(root))
if (command.kind === 'usage') {
  console.error(command.message)
  process.exitCode = 2
} else {
  const outcome = await buildImage({ ...command, root, say: (line) => console.log(line) })
  if (outcome.kind === 'unavailable') console.error(`image: not built: ${outcome.reason}`)
  process.exitCode = outcome.kind === 'built' ? 0 : 1
}
