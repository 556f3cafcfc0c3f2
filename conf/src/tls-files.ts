import type { GlSettings } from './gl-settings.ts'
import type { GuiConfig } from './gui-config.ts'
import type { SinkConfig } from './sink-config.ts'
import type { ValidationErrors } from './validation-errors.ts'

type Settings = Pick<GlSettings, 'tls' | 'service_bus'> | Pick<GuiConfig | SinkConfig, 'tls' | 'service_bus'>

/** Returns the TLS files that a program needs to start: path of the setting → file. */
export function tlsFiles(settings: Settings, root: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const add = (path: string, file: string | undefined): void => {
    if (file !== undefined && file !== '') files.set(`${root}.${path}`, file)
  }
  const { tls, service_bus: bus } = settings
  if ('ingress' in tls && tls.ingress.enabled) {
    files.set(`${root}.tls.ingress.certificate_file`, tls.ingress.certificate_file)
    files.set(`${root}.tls.ingress.private_key_file`, tls.ingress.private_key_file)
  }
  if ('outbound' in tls)
    for (const [i, file] of tls.outbound.cert_files.entries()) add(`tls.outbound.cert_files[${i}]`, file)
  for (const name of ['ca_file', 'cert_file', 'key_file'] as const) add(`service_bus.tls.${name}`, bus.tls?.[name])
  return files
}

/**
 * Resolves with `required:` for a file without a name and `file:` for an unreadable file. Contents are checked where
 * they are used.
 */
export async function checkTlsFiles(
  files: ReadonlyMap<string, string>,
  isReadable: (file: string) => Promise<boolean>,
): Promise<ValidationErrors> {
  const reasons = [...files].map(async ([path, file]): Promise<readonly [string, string][]> => {
    if (file === '') return [[path, 'required:']]
    return (await isReadable(file)) ? [] : [[path, 'file:']]
  })
  return Object.fromEntries((await Promise.all(reasons)).flat())
}
