import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeArchive } from './archive.ts'
import { parseImageName } from './image-name.ts'
import { layers } from './layers.ts'
import { sizeTable } from './size-table.ts'
import { writeTree } from './tree.ts'

const USAGE = 'usage: node tools/image/main.ts --out FILE [--name NAME:TAG] | --tree FOLDER'
const root = join(import.meta.dirname, '../..')
const say = (line: string) => console.log(line)

process.exitCode = await build()

async function build(): Promise<number> {
  const {
    out,
    name: wanted,
    tree,
  } = parseArgs({
    options: { out: { type: 'string' }, name: { type: 'string' }, tree: { type: 'string' } },
  }).values
  const { version, license, description, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const name = parseImageName(wanted ?? `llm-gateway:${version}`)
  if (name === undefined || (out === undefined) === (tree === undefined)) return failed(USAGE)
  if (process.platform !== 'linux')
    return failed('image: only Linux has what goes in: elsewhere `docker build .` makes it')
  const natsServer = join(root, '.tools/bin/nats-server')
  if (!existsSync(natsServer)) return failed('image: no nats-server: `make setup` gets it')
  const made = await layers({ root, node: process.execPath, natsServer: realpathSync(natsServer), say })
  if (tree !== undefined) {
    writeTree(
      made.flatMap(({ entries }) => entries),
      tree,
    )
    return 0
  }
  const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? 0)
  const source = repository?.url
  const release = {
    version,
    licence: license,
    title: 'llm-gateway',
    description,
    arch: process.arch,
    epoch,
    ...(source === undefined ? {} : { source }),
  }
  const archive = await writeArchive(made, { out: out ?? '', name, release })
  for (const line of sizeTable(archive.layers)) say(line)
  say(`image: ${name.short} in ${out}, ${archive.digest}`)
  return 0
}

function failed(reason: string): number {
  console.error(reason)
  return 1
}
