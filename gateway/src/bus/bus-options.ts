import { type Environment, type GlSettings, parseBusAddress } from '@llm-gateway/conf'
import { Secret } from '../config/secret.ts'
import type { NatsBusOptions } from './nats-bus.ts'

/** Reads `service_bus` of gl_config.json. Throws for an impossible address, which the file's check refuses. */
export function busOptions(
  settings: GlSettings['service_bus'],
  logger: NatsBusOptions['logger'],
  environment: Environment = {},
): NatsBusOptions {
  const { hostname, token, tls } = settings
  const address = parseBusAddress(hostname)
  if (address === undefined) throw new Error('service_bus.hostname was not checked')
  return {
    ...address,
    ...credentials(token, environment),
    ...(tls === undefined ? {} : { tls: tlsFiles(tls) }),
    logger,
  }
}

/** Returns the user of the environment, which precedes the file's token as in processors. */
function credentials(token: string, { NATS_USER: name, NATS_PASSWORD: password = '' }: Environment) {
  if (name !== undefined && name !== '') return { user: { name, password: new Secret(password) } }
  return token === '' ? {} : { token: new Secret(token) }
}

function tlsFiles({ ca_file, cert_file, key_file }: NonNullable<GlSettings['service_bus']['tls']>) {
  return {
    ...(ca_file === undefined ? {} : { caFile: ca_file }),
    ...(cert_file === undefined ? {} : { certFile: cert_file }),
    ...(key_file === undefined ? {} : { keyFile: key_file }),
  }
}
