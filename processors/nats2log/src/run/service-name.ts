import { basename } from 'node:path'

const NAME = /^([a-z0-9]{1,32})_config\.json$/

/**
 * Returns the name of the service that a configuration file configures: nats2file for `nats2file_config.json`, and
 * nats2log for a file whose name has another form.
 */
export function serviceName(file: string): string {
  return NAME.exec(basename(file))?.[1] ?? 'nats2log'
}
