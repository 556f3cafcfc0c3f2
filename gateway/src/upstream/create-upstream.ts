import { networkInterfaces } from 'node:os'
import { getCACertificates, rootCertificates } from 'node:tls'
import type { Environment, GlSettings, Logger } from '@llm-gateway/conf'
import { failureFields } from '../setting-file.ts'
import { startCertificateFiles } from './certificate-files.ts'
import { createDenyList } from './deny-list.ts'
import { createLiveUpstream } from './live-upstream.ts'
import { createProxyChoice } from './proxy-choice.ts'
import { createUndiciUpstream } from './undici-upstream.ts'
import type { Upstream } from './upstream.ts'

export type UpstreamDependencies = {
  readonly environment: Environment
  readonly logger: Logger
  /** Returns the current `outbound_deny`. */
  readonly denied: () => readonly string[]
}

/** Creates the connections to LLM APIs from gl_config.json and the environment's proxy variables. */
export async function createUpstream(settings: GlSettings, dependencies: UpstreamDependencies): Promise<Upstream> {
  const { insecure, system_cert_pool, cert_files } = settings.tls.outbound
  const proxyFor = createProxyChoice(dependencies.environment)
  const files = await startCertificateFiles(cert_files, dependencies.logger)
  const upstream = createLiveUpstream({
    readSettings: () => ({ denied: dependencies.denied(), certificates: files.current }),
    build: ({ denied, certificates }) =>
      createUndiciUpstream({
        connectTimeoutMs: settings.limits.outbound_connect_timeout_ms,
        maxHeaderBytes: settings.limits.header_bytes,
        tls: { rejectUnauthorized: !insecure, ca: certificatePool({ systemCertPool: system_cert_pool, certificates }) },
        deny: createDenyList(denied, ownAddresses()),
        proxyFor,
      }),
    onFailed: (error) =>
      dependencies.logger.error(
        failureFields(error),
        'connections keep their old settings, and calls are refused if outbound_deny has further ranges; the gateway tries again',
      ),
  })
  return {
    send: upstream.send,
    async close() {
      files.close()
      await upstream.close()
    },
  }
}

function ownAddresses(): ReadonlySet<string> {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return new Set(interfaces.map(({ address }) => address))
}

type OutboundTls = {
  readonly systemCertPool: boolean
  readonly certificates: readonly string[]
}

/**
 * Returns the authorities that certify https targets (docs/reference/configuration-rules.md#tls-settings).
 * `certificates` holds PEM texts of cert_files.
 */
function certificatePool(tls: OutboundTls): readonly string[] {
  return [...(tls.systemCertPool ? systemPool() : []), ...tls.certificates]
}

/** Returns node's own authorities, the machine's and those of NODE_EXTRA_CA_CERTS; a small image has only node's own. */
function systemPool(): readonly string[] {
  return [...new Set([...rootCertificates, ...getCACertificates('system'), ...getCACertificates('extra')])]
}
