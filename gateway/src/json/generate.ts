import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import loadWabt from 'wabt'

const folder = import.meta.dirname
const source = join(folder, 'json-machine.wat')

/** Returns the text of json-machine.ts: json-machine.wat compiled to WebAssembly. */
export async function generate(): Promise<string> {
  const wabt = await loadWabt()
  const module = wabt.parseWat('json-machine.wat', await readFile(source, 'utf8'), {
    simd: true,
    bulk_memory: true,
  })
  try {
    const { buffer } = module.toBinary({ canonicalize_lebs: true, write_debug_names: false })
    const base64 = Buffer.from(buffer).toString('base64')
    const lines = base64.match(/.{1,116}/g) ?? []
    return [
      '// Generated from json-machine.wat by generate.ts; `make generate` writes it again.',
      'export const JSON_MACHINE = [',
      ...lines.map((line) => `  '${line}',`),
      "].join('')",
      '',
    ].join('\n')
  } finally {
    module.destroy()
  }
}

if (import.meta.main) await writeFile(join(folder, 'json-machine.ts'), await generate())
