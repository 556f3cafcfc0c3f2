import { join } from 'node:path'
import { buildImage, defaultName } from './build-image.ts'
import { parseCommandLine } from './command-line.ts'
import { writePins } from './debian/write-pins.ts'

const root = join(import.meta.dirname, '../..')
const imageBuild = { root, environment: process.env, say: (line: string) => console.log(line) }
const command = parseCommandLine(process.argv.slice(2), process.env.SOURCE_DATE_EPOCH, defaultName(root))
switch (command.kind) {
  case 'usage':
    console.error(command.message)
    process.exitCode = 2
    break
  case 'pin': {
    const reason = await writePins({ ...imageBuild, isRelease: false })
    if (reason !== undefined) console.error(`image: nothing is pinned: ${reason}`)
    process.exitCode = reason === undefined ? 0 : 1
    break
  }
  case 'build': {
    const outcome = await buildImage({ ...command, ...imageBuild })
    if (outcome.kind === 'unavailable') console.error(`image: not built: ${outcome.reason}`)
    process.exitCode = outcome.kind === 'built' ? 0 : 1
    break
  }
  default:
    command satisfies never
}
