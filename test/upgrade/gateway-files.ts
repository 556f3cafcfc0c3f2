// A process that loads a version's code from its checkout.
// `CHECKOUT write FOLDER` writes the operator's output for each of its goldens, a folder each.
// `CHECKOUT validate FOLDER` prints the result of the gateway's `--validate` for each, a line of JSON each.
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [checkout = '', task = '', folder = ''] = process.argv.slice(2)
/** Variables for references in values and templates that only a pod has. */
const ENVIRONMENT = { NATS_TOKEN: 'token', V_TLS_INGRESS: 'false' }

if (task === 'write') await write()
else await validateAll()

async function write(): Promise<void> {
  const { givenIn, snapshotOf } = await load('operator/src/translate/golden-input-under-test.ts')
  const { translate } = await load('operator/src/translate/translate.ts')
  const cwd = join(checkout, 'operator/testdata')
  for (const path of globSync('**/*.in.yaml', { cwd })) {
    const { frozen, glConfig, values } = translate(snapshotOf(givenIn(readFileSync(join(cwd, path), 'utf8'))))
    const to = join(folder, path.replace('.in.yaml', '').replaceAll('/', '-'))
    mkdirSync(join(to, 'values'), { recursive: true })
    // The file of a gateway that isn't accepted is never delivered.
    writeFileSync(join(to, 'gl_config.json'), frozen ? '{"routers":[]}' : glConfig)
    for (const [name, value] of values) writeFileSync(join(to, 'values', name), value)
  }
}

async function validateAll(): Promise<void> {
  const { validate } = await load('gateway/src/validate.ts')
  const { createLogger } = await load('conf/src/index.ts')
  for (const name of readdirSync(folder).toSorted()) {
    const lines: string[] = []
    const logger = createLogger({ service: 'gl', write: (line: string) => void lines.push(line) })
    const place = { file: join(folder, name, 'gl_config.json'), secretsDir: join(folder, name, 'values') }
    const isValid = await validate({ ...place, environment: ENVIRONMENT, logger })
    const logEntries = lines.map((line) => ({ ...JSON.parse(line), time: undefined }))
    console.log(JSON.stringify({ name, isValid, logEntries }))
  }
}

function load(path: string) {
  return import(join(checkout, path))
}
