import { join } from 'node:path'
import { buildSite } from './build-site.ts'

const root = join(import.meta.dirname, '../..')
const built = await buildSite({ root, environment: process.env, say: (line) => console.log(line) })
process.exitCode = built ? 0 : 1
