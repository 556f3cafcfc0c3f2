import { createHash } from 'node:crypto'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BusAddress } from './bus-client.ts'

export type GatewayConfig = Readonly<Record<string, unknown>>

/** A gl_config.json in a temporary directory of its own. */
export type GatewayFile = {
  readonly directory: string
  readonly file: string
  readonly config: GatewayConfig
  /**
   * Writes a changed configuration: the function's result, or an object merged over the present configuration. Returns
   * the digest that `/status` will show. The file is replaced by rename, or written in place.
   */
  edit(change: GatewayConfig | ((config: GatewayConfig) => GatewayConfig), how?: 'rename' | 'write'): Promise<string>
  remove(): Promise<void>
}

/** Nothing listens on port 1, so the bus counts as away. */
const NO_BUS: BusAddress = { address: '127.0.0.1:1', token: undefined }

/** Returns the smallest configuration: a free port, no admin port, no processors and only `/echo/`. */
export function minimalGlConfig(bus: BusAddress = NO_BUS): GatewayConfig {
  return {
    gl_port: 0,
    admin_port: 0,
    // A literal token, so that the environment stays the test's own.
    service_bus: { hostname: bus.address, token: bus.token ?? '' },
    routers: [],
    request: { processors: [] },
    response: { processors: [] },
  }
}

export async function writeGatewayFile(first: GatewayConfig): Promise<GatewayFile> {
  const directory = await mkdtemp(join(tmpdir(), 'llm-gateway-conf-'))
  const file = join(directory, 'gl_config.json')
  // Every gateway has a spool folder of its own.
  let config = mergeConfig({ spool: { directory: join(directory, 'spool') } }, first)
  let edits = 0
  await writeFile(file, encode(config))
  return {
    directory,
    file,
    get config() {
      return config
    },
    edit: async (change, how = 'rename') => {
      config = typeof change === 'function' ? change(config) : mergeConfig(config, change)
      const bytes = encode(config)
      edits += 1
      const target = how === 'rename' ? join(directory, `.gl_config.${edits}.json`) : file
      await writeFile(target, bytes)
      if (how === 'rename') await rename(target, file)
      return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** Merges objects key by key. All other values, also arrays, are replaced. */
export function mergeConfig(base: GatewayConfig, over: GatewayConfig): GatewayConfig {
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key]
    merged[key] = isObject(below) && isObject(value) ? mergeConfig(below, value) : value
  }
  return merged
}

function encode(config: GatewayConfig): Buffer {
  return Buffer.from(`${JSON.stringify(config, undefined, 2)}\n`)
}

function isObject(value: unknown): value is GatewayConfig {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
