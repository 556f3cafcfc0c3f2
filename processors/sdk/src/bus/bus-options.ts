import { type BusAddress, parseBusAddress } from '@llm-gateway/conf/processor'

export type BusCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'user'; readonly user: string; readonly password: string }
  | { readonly kind: 'file'; readonly file: string }

/** PEM files of a TLS connection, read again at each connection. */
export type BusTls = { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string }

export type BusOptions = {
  readonly address: BusAddress
  readonly credentials: BusCredentials
  readonly tls?: BusTls
}

/** The environment variables of a processor (docs/reference/environment-variables.md#processors-and-sinks). */
export type ProcessorEnvironment = {
  readonly NATS_TOKEN?: string | undefined
  readonly GATEWAY_HOST?: string | undefined
  readonly BUS_PREFIX?: string | undefined
  readonly PROCESSOR_SUBJECT?: string | undefined
  readonly PROCESSOR_CONFIG?: string | undefined
  readonly PROCESSOR_PORT?: string | undefined
  readonly PROCESSOR_HOST?: string | undefined
  readonly SECRETS_DIR?: string | undefined
  readonly NATS_CA_FILE?: string | undefined
  readonly NATS_CERT_FILE?: string | undefined
  readonly NATS_KEY_FILE?: string | undefined
  readonly NATS_CREDS?: string | undefined
  readonly NATS_USER?: string | undefined
  readonly NATS_PASSWORD?: string | undefined
}

/** `service_bus` of a configuration file, with the names of the file. */
export type BusSettings = {
  readonly hostname?: string | undefined
  readonly token?: string | undefined
  readonly tls?: BusFiles | undefined
}

type BusFiles = {
  readonly ca_file?: string | undefined
  readonly cert_file?: string | undefined
  readonly key_file?: string | undefined
}

const DEFAULT_HOST = 'localhost:4222'

/**
 * Returns the address, the credentials and the TLS files of the bus. The environment's address and files override the
 * configuration file's, since they belong to the machine or pod. The file's token overrides NATS_TOKEN, to which the
 * file refers by default. An empty value counts as unset. Returns undefined when the address isn't `host`, `host:port`
 * or `[v6]:port`.
 */
export function busOptions(environment: ProcessorEnvironment, settings: BusSettings = {}): BusOptions | undefined {
  const address = parseBusAddress(environment.GATEWAY_HOST || settings.hostname || DEFAULT_HOST)
  if (address === undefined) return undefined
  const { NATS_CA_FILE: ca_file, NATS_CERT_FILE: cert_file, NATS_KEY_FILE: key_file } = environment
  const tls = busTls({ ca_file, cert_file, key_file }) ?? busTls(settings.tls ?? {})
  const credentials = busCredentials(environment, settings)
  return tls === undefined ? { address, credentials } : { address, credentials, tls }
}

function busCredentials(environment: ProcessorEnvironment, settings: BusSettings): BusCredentials {
  if (environment.NATS_CREDS) return { kind: 'file', file: environment.NATS_CREDS }
  if (environment.NATS_USER) {
    return { kind: 'user', user: environment.NATS_USER, password: environment.NATS_PASSWORD ?? '' }
  }
  const token = settings.token || environment.NATS_TOKEN
  return token ? { kind: 'token', token } : { kind: 'none' }
}

function busTls({ ca_file, cert_file, key_file }: BusFiles): BusTls | undefined {
  if (!ca_file && !cert_file && !key_file) return undefined
  return {
    ...(ca_file ? { caFile: ca_file } : {}),
    ...(cert_file ? { certFile: cert_file } : {}),
    ...(key_file ? { keyFile: key_file } : {}),
  }
}
