import { checkGlConfig } from '@llm-gateway/conf'
import { lookUp } from '@llm-gateway/conf/editor'
import type { FileEnvironment } from '../files/file-environment.ts'
import { type GatewayAddress, gatewayAddress } from '../live/gateway-client.ts'

export type CallTarget = Pick<GatewayAddress, 'scheme' | 'port' | 'certificateFile' | 'sessionHeader'> & {
  readonly host: string
}

/** The target, headers and secrets of a call to a router. */
export type PreparedCall = {
  readonly target: CallTarget
  /** The headers that the router's ingress check asks for. */
  readonly callerHeaders: ReadonlyMap<string, readonly string[]>
  /** Values that no answer may show. */
  readonly secrets: readonly string[]
}

/** @param text the live gl_config.json */
export function prepareCall(text: string | undefined, path: string, fileEnvironment: FileEnvironment): PreparedCall {
  const { references } = fileEnvironment
  const check = checkGlConfig(Buffer.from(text ?? '{}'), references, { acceptMissing: true })
  const routers = check.kind === 'checked' ? check.config.routers : []
  const router = routers.find((router) => router.path === path)
  const ingress = router?.kind === 'active' ? router.ingressHeaders : []
  const known = ingress.filter(({ values }) => values[0] !== 'regex:.+')
  const keys = routers.flatMap((entry) =>
    entry.kind === 'active' ? [...entry.ingressHeaders, ...entry.outbound.headers] : [],
  )
  const names = new Set(
    check.kind === 'checked' ? check.config.settings.masked_headers.map((name) => name.toLowerCase()) : [],
  )
  const secret = keys
    .filter((header) => header.secret || names.has(header.name.toLowerCase()))
    .flatMap(({ values }) => values)
  const own = ['GUI_SECRET', 'NATS_TOKEN'].flatMap((name) => lookUp(name, references) ?? [])
  const bare = secret.map((value) => value.replace(/^\S+ +/, ''))
  return {
    // The gateway of this machine.
    target: { ...gatewayAddress(text, fileEnvironment), host: '127.0.0.1' },
    callerHeaders: new Map(known.map(({ name, values }) => [name, values])),
    secrets: [...secret, ...bare, ...own],
  }
}
