import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'

const MODULE = JSON.stringify(new URL('./end-process.ts', import.meta.url))

for (const [name, wrap] of [
  ['a process', []],
  ['the first process of a container', ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child']],
] as const)
  test(`${name} ends with its exit code although a thread of it waits for a pipe`, {
    timeout: 60_000,
  }, async (context) => {
    await using folder = await temporaryFolder()
    const pipe = join(folder.path, 'pipe')
    await promisify(execFile)('mkfifo', [pipe])
    if (wrap.length > 0 && !(await works([...wrap, 'true']))) return context.skip('may not make a namespace')
    const script = `
      import { readFile } from 'node:fs/promises'
      const { endProcess } = await import(${MODULE})
      readFile(${JSON.stringify(pipe)}).catch(() => undefined)
      setTimeout(() => endProcess(3), 200)`
    const [command = '', ...args] = [...wrap, process.execPath, '--input-type=module', '--eval', script]
    const child = spawn(command, args, { stdio: 'ignore' })
    assert.deepEqual(await once(child, 'exit'), [3, null])
  })

async function works([command = '', ...args]: readonly string[]): Promise<boolean> {
  return await promisify(execFile)(command, args).then(
    () => true,
    () => false,
  )
}
