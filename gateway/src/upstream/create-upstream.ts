import { readFile } from 'node:fs/promises'
import type { Environment, GlSettings } from '@llm-gateway/conf'
import { createDenyList } from './deny-list.ts'
import { certificatePool } from './outbound-tls.ts'
import { createUndiciUpstream } from './undici-upstream.ts'
import type { Upstream } from './upstream.ts'

/** The connections to LLM APIs as gl_config.json and the proxy variables of the environment want them. */
export async function createUpstream(settings: GlSettings, environment: Environment): Promise<Upstream> {
  const { insecure, system_cert_pool, cert_files } = settings.tls.outbound
  const certificates = await Promise.all(cert_files.map((file) => readFile(file, 'utf8')))
  const deny = createDenyList(settings.outbound_deny)
  return createUndiciUpstream({
    connectTimeoutMs: settings.limits.outbound_connect_timeout_ms,
    maxHeaderBytes: settings.limits.header_bytes,
    tls: { rejectUnauthorized: !insecure, ca: certificatePool({ systemCertPool: system_cert_pool, certificates }) },
    lookup: deny?.lookup,
    deniesHost: deny?.denies ?? (() => false),
    proxy: proxyOf(environment),
  })
}

/** Lower-case names win, as in curl; HTTP_PROXY in capitals is not read, as a CGI server would let a caller set it. */
function proxyOf(environment: Environment) {
  const http = environment.http_proxy
  const https = environment.https_proxy ?? environment.HTTPS_PROXY
  const none = environment.no_proxy ?? environment.NO_PROXY
  if (!http && !https) return undefined
  return { ...(http ? { http } : {}), ...(https ? { https } : {}), ...(none ? { none } : {}) }
}
