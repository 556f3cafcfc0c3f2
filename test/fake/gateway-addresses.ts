import type { Environment } from '@llm-gateway/conf'
import type { BusAddress } from './bus-client.ts'
import { freePort } from './free-port.ts'
import { type GatewayConfig, type GatewayFile, mergeConfig, minimalGlConfig } from './gateway-file.ts'

export type GatewayOptions = {
  /** Merged over `minimalGlConfig`: objects key by key, arrays replaced. */
  readonly config?: GatewayConfig
  /** The environment for references; nothing of this process's environment is added. */
  readonly env?: Environment
  /** Unset means that the gateway runs without a bus. */
  readonly nats?: BusAddress
  /** Serves `/metrics`, `/healthz`, `/readyz` and `/status` on a free port, which `adminUrl` names. */
  readonly admin?: boolean
  readonly secretsDir?: string
}

/** The addresses and the file of a started gateway. */
export type GatewayAddresses = {
  readonly url: string
  readonly port: number
  readonly adminUrl: string | undefined
  readonly file: string
  readonly config: GatewayFile['config']
  readonly editConfig: GatewayFile['edit']
  /** Polls `/status` until it shows a digest that `editConfig` returned. Needs `admin`. */
  waitForDigest(digest: string): Promise<void>
}

export async function gatewayConfig(
  options: GatewayOptions,
  port: number,
): Promise<{ config: GatewayConfig; port: number; adminPort: number | undefined }> {
  const adminPort = options.admin === true ? await freePort() : undefined
  const ports = { gl_port: port, admin_port: adminPort ?? 0 }
  const config = mergeConfig(mergeConfig(minimalGlConfig(options.nats), ports), options.config ?? {})
  return { config, port, adminPort }
}

export function gatewayAddresses(file: GatewayFile, port: number, adminPort: number | undefined): GatewayAddresses {
  const adminUrl = adminPort === undefined ? undefined : `http://127.0.0.1:${adminPort}`
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    adminUrl,
    file: file.file,
    get config() {
      return file.config
    },
    editConfig: file.edit,
    waitForDigest: async (digest) => {
      if (adminUrl === undefined) throw new Error('waitForDigest needs the option admin')
      await waitUntilShown(`${adminUrl}/status`, digest)
    },
  }
}

async function waitUntilShown(statusUrl: string, digest: string, timeoutMs = 60_000): Promise<void> {
  const end = performance.now() + timeoutMs
  for (;;) {
    // The admin port may open after the gateway's port.
    const status = await fetch(statusUrl).then((answer) => answer.text(), String)
    if (status.includes(digest)) return
    if (performance.now() > end) throw new Error(`no ${digest} within ${timeoutMs} ms: ${status}`)
    // The gateway reports no such event, so `/status` is polled.
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
