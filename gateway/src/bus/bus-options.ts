import type { GlSettings } from '@llm-gateway/conf'
import { parseBusAddress } from '@llm-gateway/protocol'
import { Secret } from '../config/secret.ts'
import type { NatsBusOptions } from './nats-bus.ts'

/** Reads `service_bus` of gl_config.json; an address that can't be read is the default one, as the file's check said. */
export function busOptions(settings: GlSettings['service_bus'], logger: NatsBusOptions['logger']): NatsBusOptions {
  const { hostname, token, tls } = settings
  const address = parseBusAddress(hostname) ?? { hostname: 'localhost', port: 4222 }
  return {
    ...address,
    ...(token === '' ? {} : { token: new Secret(token) }),
    ...(tls === undefined ? {} : { tls: tlsFiles(tls) }),
    logger,
  }
}

function tlsFiles({ ca_file, cert_file, key_file }: NonNullable<GlSettings['service_bus']['tls']>) {
  return {
    ...(ca_file === undefined ? {} : { caFile: ca_file }),
    ...(cert_file === undefined ? {} : { certFile: cert_file }),
    ...(key_file === undefined ? {} : { keyFile: key_file }),
  }
}
