import { createSecureContext } from 'node:tls'
import type { BootOptions } from './boot.ts'
import { compileInSlices } from './config/compile.ts'
import { ConfigInvalidError, startReload } from './config/reload.ts'
import { startIngressCertificate } from './http/ingress-certificate.ts'
import { failureFields } from './setting-file.ts'
import { createUpstream } from './upstream/create-upstream.ts'

/**
 * Validates a file (`--validate`): logs like a start, without opening a port. Resolves with true where the gateway
 * would start with this file.
 */
export async function validate(options: BootOptions): Promise<boolean> {
  try {
    const reload = await startReload({ ...options, compile: compileInSlices })
    await reload.close()
    const { settings } = reload
    const certificate = await startIngressCertificate(settings.tls.ingress, options.logger)
    certificate?.close()
    // The start makes a server of them, which throws where they aren't a certificate and its key.
    if (certificate !== undefined) createSecureContext(certificate.current)
    const upstream = await createUpstream(settings, { ...options, denied: () => settings.outbound_deny })
    await upstream.close()
    return true
  } catch (error) {
    if (error instanceof ConfigInvalidError) return false
    options.logger.error(failureFields(error), 'gateway could not start')
    return false
  }
}
