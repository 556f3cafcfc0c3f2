import { writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import type { GatewayConfig } from '../../fake/gateway-file.ts'
import type { Attack, AttackTools } from '../attack.ts'
import { MIB, SMALL_ANSWER } from '../bodies.ts'

const BOUNDED = 'a file is read in bounded steps'
const REFUSED = 'a setting that would break HTTP is refused, and the running configuration stays'

type Edit = {
  readonly name: string
  readonly rule: string
  readonly edit: (config: GatewayConfig, tools: AttackTools) => GatewayConfig
}

const EDITS: readonly Edit[] = [
  {
    name: '6 MiB of unknown keys',
    rule: BOUNDED,
    edit: (config, { sized }) => ({ ...config, ...unknownKeys(sized(300_000)) }),
  },
  {
    name: '6 MiB of unknown keys in a router',
    rule: BOUNDED,
    edit: (config, { sized }) => withRouters(config, [{ ...router(0), ...unknownKeys(sized(300_000)) }]),
  },
  {
    name: '10,000 routers that are rejected',
    rule: BOUNDED,
    edit: (config, { sized }) => withRouters(config, routers(sized(10_000), { outbound: { url: 'no url' } })),
  },
  {
    name: '10,000 routers with one path',
    rule: BOUNDED,
    edit: (config, { sized }) => withRouters(config, routers(sized(10_000), { path: '/same/' })),
  },
  {
    name: '10,000 routers with an unset reference',
    rule: BOUNDED,
    edit: (config, { sized }) => withRouters(config, routers(sized(10_000), { outbound: { url: '${NOWHERE}' } })),
  },
  {
    name: 'a path of 1 MB',
    rule: BOUNDED,
    edit: (config, { sized }) => withRouters(config, [{ ...router(0), path: `/${'a/'.repeat(sized(500_000))}` }]),
  },
  {
    name: '100,000 masked headers',
    rule: BOUNDED,
    edit: (config, { sized }) => ({ ...config, masked_headers: texts(sized(100_000), 'X-M') }),
  },
  {
    name: '100,000 masked parameters',
    rule: BOUNDED,
    edit: (config, { sized }) => ({ ...config, masked_query_parameters: texts(sized(100_000), 'm') }),
  },
  {
    name: '100,000 headers of one router',
    rule: BOUNDED,
    edit: (config, { sized }) =>
      withRouters(config, [{ ...router(0), ingress: { headers: manyHeaders(sized(100_000)) } }]),
  },
  {
    name: '5,000 rows of processors',
    rule: BOUNDED,
    edit: (config, { sized }) => ({ ...config, response: { processors: rows(sized(5_000)) } }),
  },
  {
    name: 'a value of 6 MiB of references',
    rule: BOUNDED,
    edit: (config, { sized }) =>
      withRouters(config, [
        {
          ...router(0),
          outbound: { url: 'http://127.0.0.1:1/', headers: { X: ['${VALUE}'.repeat(sized(800_000))] } },
        },
      ]),
  },
]

/** Framing and hop-by-hop headers, which a caller or the server itself sets. */
const NO_SESSION_HEADER = [
  'Trailer',
  'Content-Length',
  'Transfer-Encoding',
  'Connection',
  'Set-Cookie',
  'Date',
  'Host',
  'Content-Type',
]

export const CONFIGURATION: readonly Attack[] = [
  ...EDITS.map(
    ({ name, rule, edit }): Attack => ({
      name,
      rule,
      gateway: 'own',
      run: async (tools) => {
        await tools.gateway.editConfig((config) => edit(config, tools))
        return untilReloaded(tools, 1)
      },
    }),
  ),
  ...NO_SESSION_HEADER.map(
    (name): Attack => ({
      name: `session_id_header ${name}`,
      rule: REFUSED,
      gateway: 'own',
      run: async (tools) => {
        const { config } = tools.gateway
        await tools.gateway.editConfig((now) => ({ ...now, session_id_header: name }))
        const seen = await untilReloaded(tools, 1)
        const isRefused = lastReload(tools).includes('configuration file validation failed')
        await tools.gateway.editConfig(() => config)
        return isRefused ? seen : [...seen, 'the setting was not refused']
      },
    }),
  ),
  {
    name: '10,000 routers under load, then /status?entries=1 and /metrics',
    rule: 'neither a reload nor a request for /status or /metrics stops calls',
    gateway: 'own',
    run: async (tools) => {
      const scripted = tools.answer(({ write }) => void write(SMALL_ANSWER))
      let goesOn = true
      const load = Array.from({ length: 8 }, async () => {
        while (goesOn) await tools.call({ port: tools.gateway.port, path: tools.path('/hostile/'), body: '{}' })
      })
      await tools.gateway.editConfig((config) => withRouters(config, routers(tools.sized(10_000), {})))
      const seen = await untilReloaded(tools, 1)
      const statuses = await requestStatuses(tools)
      goesOn = false
      await Promise.all(load)
      scripted.end()
      return [...seen, ...statuses]
    },
  },
  {
    name: '10,000 routers that change ten times in a second',
    rule: 'reloads stay within the bounds, however often the file changes',
    gateway: 'own',
    run: async (tools) => {
      for (let time = 0; time < 10; time += 1) {
        const changed = routers(tools.sized(10_000), { outbound: { url: `http://127.0.0.1:1/${time}/` } })
        await tools.gateway.editConfig((config) => withRouters(config, changed))
        await tools.pause(100)
      }
      return untilReloaded(tools, 1)
    },
  },
  unreadableFile('6 MiB of nested arrays alone', Buffer.from(`${'['.repeat(3 * MIB)}${']'.repeat(3 * MIB)}`)),
  unreadableFile('8 MiB of [{},…]', Buffer.from(`[${'{},'.repeat(2.6 * MIB)}{}]`)),
  unreadableFile('a gzip bomb', gzipSync(Buffer.alloc(400 * MIB))),
  unreadableFile('60 MiB of white space', Buffer.alloc(60 * MIB, ' ')),
  unreadableFile('6 MiB that are not UTF-8', Buffer.alloc(6 * MIB, 0xff)),
]

function unreadableFile(name: string, bytes: Buffer): Attack {
  return {
    name: `a file of ${name}`,
    rule: BOUNDED,
    gateway: 'own',
    run: async (tools) => {
      await writeFile(tools.gateway.file, bytes)
      return untilReloaded(tools, 1)
    },
  }
}

const RELOAD_LINE = /"msg":"configuration (reloaded|could not be reloaded|file validation failed|waits for values)"/

/** Waits until the gateway has reported a number of reloads. */
async function untilReloaded(tools: AttackTools, times: number): Promise<readonly string[]> {
  const outcome = await Promise.race([
    tools.gateway.lines
      .waitUntil((lines) => reloadsIn(lines).length >= times, { timeoutMs: 30_000 })
      .then(
        () => 'said',
        () => 'said nothing of the file for 30 s',
      ),
    tools.gateway.exited.then(() => 'ended'),
  ])
  // A setting that ends a gateway does so at the next answers.
  await tools.pause(300)
  return outcome === 'said' ? [] : [`the gateway ${outcome}`]
}

function reloadsIn(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => line.includes('http(s) server initialized'))
  return lines.slice(start + 1).filter((line) => RELOAD_LINE.test(line))
}

function lastReload(tools: AttackTools): string {
  return reloadsIn(tools.gateway.lines.entries).join('\n')
}

async function requestStatuses(tools: AttackTools): Promise<readonly string[]> {
  const port = Number(new URL(tools.gateway.adminUrl ?? '').port)
  const paths = ['/status?entries=1', '/metrics', '/status?entries=1', '/metrics', '/status']
  const outcomes = await Promise.all(paths.map((path) => tools.call({ port, path, method: 'GET', timeoutMs: 20_000 })))
  const odd = outcomes.filter(({ status, complete }) => status !== 200 || !complete)
  return odd.length === 0 ? [] : [`the admin port answered ${odd.map(({ status }) => status)}`]
}

function router(index: number): object {
  return { path: `/many/${index}/`, outbound: { url: 'http://127.0.0.1:1/' } }
}

function routers(count: number, over: object): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({ ...router(index), ...over }))
}

function withRouters(config: GatewayConfig, more: readonly object[]): GatewayConfig {
  const { routers: present } = config
  return { ...config, routers: [...(Array.isArray(present) ? present.slice(0, 5) : []), ...more] }
}

function unknownKeys(count: number): object {
  return Object.fromEntries(texts(count, 'unknown_key_').map((name) => [name, 1]))
}

function texts(count: number, prefix: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`)
}

function manyHeaders(count: number): object {
  return Object.fromEntries(texts(count, 'X-').map((name) => [name, ['1']]))
}

function rows(count: number): readonly object[] {
  const entry = { service_bus_topic: 'nobody', timeout: 100, routers: ['/echo/'], output_fields_write: ['a'] }
  return texts(count, 'p').map((name) => [{ ...entry, name }])
}
