import { basename } from 'node:path'

const NAME = /^([a-z0-9]{1,32})_config\.json$/

/** One program is two services: `nats2file_config.json` makes it nats2file; a file of another name makes it nats2log. */
export function serviceName(file: string): string {
  return NAME.exec(basename(file))?.[1] ?? 'nats2log'
}
