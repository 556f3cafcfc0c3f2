import { type BusAddress, parseBusAddress } from '@llm-gateway/protocol'

export type BusCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'user'; readonly user: string; readonly password: string }
  | { readonly kind: 'file'; readonly file: string }

/** PEM files, read again at each connection. */
export type BusTls = { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string }

export type BusOptions = {
  readonly address: BusAddress
  readonly credentials: BusCredentials
  readonly tls?: BusTls
}

/** What the environment tells a processor (wire, 1.2 and 2). */
export type ProcessorEnvironment = {
  readonly NATS_TOKEN?: string | undefined
  readonly GATEWAY_HOST?: string | undefined
  readonly BUS_PREFIX?: string | undefined
  readonly PROCESSOR_SUBJECT?: string | undefined
  readonly PROCESSOR_CONFIG?: string | undefined
  readonly PROCESSOR_PORT?: string | undefined
  readonly NATS_CA_FILE?: string | undefined
  readonly NATS_CERT_FILE?: string | undefined
  readonly NATS_KEY_FILE?: string | undefined
  readonly NATS_CREDS?: string | undefined
  readonly NATS_USER?: string | undefined
  readonly NATS_PASSWORD?: string | undefined
}

/** What a configuration file says where the environment is silent. */
export type BusDefaults = { readonly hostname?: string; readonly token?: string; readonly tls?: BusTls }

const DEFAULT_HOST = 'localhost:4222'

/**
 * How to reach the bus: the environment's values first, then the file's. An empty value counts as unset.
 * Undefined where the address isn't `host`, `host:port` or `[v6]:port`.
 */
export function busOptions(environment: ProcessorEnvironment, defaults: BusDefaults = {}): BusOptions | undefined {
  const address = parseBusAddress(environment.GATEWAY_HOST || defaults.hostname || DEFAULT_HOST)
  if (address === undefined) return undefined
  const tls = busTls(environment) ?? defaults.tls
  const credentials = busCredentials(environment, defaults)
  return tls === undefined ? { address, credentials } : { address, credentials, tls }
}

function busCredentials(environment: ProcessorEnvironment, defaults: BusDefaults): BusCredentials {
  if (environment.NATS_CREDS) return { kind: 'file', file: environment.NATS_CREDS }
  if (environment.NATS_USER) {
    return { kind: 'user', user: environment.NATS_USER, password: environment.NATS_PASSWORD ?? '' }
  }
  const token = environment.NATS_TOKEN || defaults.token
  return token ? { kind: 'token', token } : { kind: 'none' }
}

function busTls(environment: ProcessorEnvironment): BusTls | undefined {
  const { NATS_CA_FILE: caFile, NATS_CERT_FILE: certFile, NATS_KEY_FILE: keyFile } = environment
  if (!caFile && !certFile && !keyFile) return undefined
  return { ...(caFile ? { caFile } : {}), ...(certFile ? { certFile } : {}), ...(keyFile ? { keyFile } : {}) }
}
