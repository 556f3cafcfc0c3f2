import { basename } from 'node:path'

const NAME = /^([a-z0-9]{1,32})_config\.json$/

/**
 * Returns the service of a configuration file: `nats2file_config.json` makes the program nats2file, any other name
 * nats2log.
 */
export function serviceName(file: string): string {
  return NAME.exec(basename(file))?.[1] ?? 'nats2log'
}
