import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@llm-gateway/test/fake/free-port'

const root = join(import.meta.dirname, '../..')

export type RunUnderTest = AsyncDisposable & {
  readonly folder: string
  readonly ports: { readonly gateway: number; readonly bus: number; readonly web: number }
  start(environment?: NodeJS.ProcessEnv): {
    readonly child: ChildProcess
    readonly exited: Promise<unknown>
    output(): string
  }
}

/** Makes a folder for `make run` with free ports, as if its configuration was edited before the first start. */
export async function createRun(folder = mkdtempSync(join(tmpdir(), 'make-run-'))): Promise<RunUnderTest> {
  const [gateway, bus, web] = [await freePort(), await freePort(), await freePort()]
  const conf = join(folder, 'app/conf')
  mkdirSync(conf, { recursive: true })
  for (const shipped of ['conf', 'conf/examples/processors']) {
    for (const name of readdirSync(join(root, shipped)).filter((file) => file.endsWith('_config.json'))) {
      const text = readFileSync(join(root, shipped, name), 'utf8').replaceAll('localhost:4222', `127.0.0.1:${bus}`)
      const edited = text
        .replace(/"gl_port": *\d+/, `"gl_port": ${gateway}`)
        .replace(/"gui_port": *\d+/, `"gui_port": ${web}`)
        .replace(/"admin_port": *\d+/, '"admin_port": 0')
        // The first answer on a busy machine may exceed the shipped timeouts.
        .replaceAll(/"timeout": *\d+/g, '"timeout": 60000')
      writeFileSync(join(conf, name), edited)
    }
  }
  cpSync(join(root, 'conf/nats-server.conf'), join(conf, 'nats-server.conf'))
  const busFile = join(conf, 'nats-server.conf')
  writeFileSync(busFile, readFileSync(busFile, 'utf8').replace('0.0.0.0:4222', `127.0.0.1:${bus}`))
  const children: ChildProcess[] = []
  return {
    folder,
    ports: { gateway, bus, web },
    start(environment = {}) {
      const {
        NATS_TOKEN: _t,
        GUI_SECRET: _g,
        AISERVICE_API_BASE: _a,
        AISERVICE_API_KEY: _k,
        ...inherited
      } = process.env
      const child = spawn(process.execPath, [join(root, 'tools/run/main.ts')], {
        env: { ...inherited, ...environment, RUN_DIR: folder },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      children.push(child)
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text) => (output += text))
      return { child, exited: once(child, 'close').then(([code]) => code), output: () => output }
    },
    async [Symbol.asyncDispose]() {
      const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      await Promise.all(running.map((child) => [once(child, 'close'), child.kill('SIGTERM'), child.kill('SIGTERM')][0]))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function until(what: string, condition: () => boolean, output = () => ''): Promise<void> {
  const deadline = Date.now() + 600_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}\n${output()}`)
    await delay(20)
  }
}
