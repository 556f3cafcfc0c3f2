import { getCACertificates } from 'node:tls'
import { readSmallFile } from '@llm-gateway/conf'

/** `tls.outbound` of the file (docs/reference/configuration-rules.md#tls-settings). */
type OutboundTls = {
  readonly insecure: boolean
  readonly system_cert_pool: boolean
  readonly cert_files: readonly string[]
}

export type Trust = { readonly rejectUnauthorized: boolean; readonly ca: string[] }

/** Returns the trusted certificates of https targets; undefined when a certificate file can't be read. */
export async function outboundTls(tls: OutboundTls): Promise<Trust | undefined> {
  const pool = tls.system_cert_pool ? [...getCACertificates('default'), ...getCACertificates('system')] : []
  try {
    const added = await Promise.all(tls.cert_files.map(async (file) => (await readSmallFile(file)).toString()))
    return { rejectUnauthorized: !tls.insecure, ca: [...new Set(pool), ...added] }
  } catch {
    return undefined
  }
}
