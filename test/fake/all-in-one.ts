import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { type Program, startProgram, waitForLine } from './program.ts'

const ROOT = join(import.meta.dirname, '../..')
const GINIT_MAIN = join(ROOT, 'gateway/ginit/src/main.ts')

/** The supervisor with all its services, in a temporary directory with the shipped configuration files. */
export type AllInOne = {
  readonly url: string
  readonly adminUrl: string
  readonly program: Program
  /** Returns the process ids of a service's healthy starts so far, read from the supervisor's log lines. */
  pids(service: string): readonly number[]
  /** Reads the records that nats2file has written. */
  records(): Promise<readonly Readonly<Record<string, unknown>>[]>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type AllInOneOptions = {
  /** Changes a shipped file, before its ports are replaced by free ports. */
  readonly edit?: (name: string, text: string) => string
  /** Puts more files beside the shipped files. */
  readonly prepare?: (conf: string) => Promise<void>
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts the supervisor on free ports. All services are healthy when the promise resolves. */
export async function startAllInOne(llmUrl: string, options: AllInOneOptions = {}): Promise<AllInOne> {
  const directory = await mkdtemp(join(tmpdir(), 'llm-gateway-all-in-one-'))
  const [port, adminPort, busPort] = [await freePort(), await freePort(), await freePort()]
  const conf = join(directory, 'app/conf')
  for (const name of await readdir(join(ROOT, 'conf'))) {
    if (!/\.(json|conf)$/.test(name) || name === 'package.json') continue
    await cp(join(ROOT, 'conf', name), join(conf, name))
    const shipped = await readFile(join(conf, name), 'utf8')
    const edited = (options.edit?.(name, shipped) ?? shipped)
      .replaceAll('localhost:4222', `127.0.0.1:${busPort}`)
      .replaceAll('0.0.0.0:4222', `127.0.0.1:${busPort}`)
      .replace('"gl_port": 5380', `"gl_port": ${port}`)
      .replace('"admin_port": 9464', `"admin_port": ${adminPort}`)
      .replace('"gui_port": 8080', '"gui_port": 0')
    await writeFile(join(conf, name), edited)
  }
  await options.prepare?.(conf)
  const program = await startProgram({
    command: process.execPath,
    args: [GINIT_MAIN, '-o', './app/conf/ginit_config.json'],
    environment: { AISERVICE_API_BASE: llmUrl, ...options.environment },
    cwd: directory,
  })
  const close = async (): Promise<void> => {
    await program.stop(30_000)
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await waitForLine(program, /"all services healthy"/, 60_000)
  } catch (error) {
    await close()
    throw error
  }
  return {
    url: `http://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    program,
    pids: (service) =>
      program.lines.entries.flatMap((line) => {
        if (!line.includes('"service healthy"')) return []
        const { name, pid } = JSON.parse(line)
        return name === service && typeof pid === 'number' ? [pid] : []
      }),
    records: async () => {
      const text = await readFile(join(directory, 'app/log/llm-gateway.jsonl'), 'utf8')
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
