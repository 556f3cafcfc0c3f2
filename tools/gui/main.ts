import { join } from 'node:path'
import { getPackages } from '../setup/get-packages.ts'
import { buildPage } from './build-page.ts'

// `build` builds the page; `packages` installs the packages of the page, of its tests and of the documentation's site.
const root = join(import.meta.dirname, '../..')
const checkout = { root, environment: process.env, say: (line: string) => console.log(line) }
const folders = ['gateway/gui/web', 'test/browser', 'docs']
const steps = {
  build: () => buildPage(checkout),
  packages: async () => {
    for (const folder of folders) if (!(await getPackages({ ...checkout, root: join(root, folder) }))) return false
    return true
  },
}
const step = process.argv[2] === 'packages' ? steps.packages : steps.build
process.exitCode = (await step()) ? 0 : 1
