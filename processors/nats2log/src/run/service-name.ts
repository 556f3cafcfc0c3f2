import { basename } from 'node:path'

const NAME = /^([a-z0-9]{1,32})_config\.json$/

/**
 * Returns the service of a configuration file: `<service>_config.json` makes the program that service, such as
 * nats2file. A file with another name makes it nats2log.
 */
export function serviceName(file: string): string {
  return NAME.exec(basename(file))?.[1] ?? 'nats2log'
}
