import { join } from 'node:path'
import versions from '../versions.json' with { type: 'json' }
import { getJemalloc } from './get-jemalloc.ts'
import { getNatsServer } from './get-nats-server.ts'
import { type Checkout, getPackages } from './get-packages.ts'
import { natsServerSources } from './nats-server-sources.ts'

/**
 * Returns the steps that install foreign programs and packages. Both are idempotent, need no network once done, and
 * print the reason and return false when they fail.
 */
export function setupSteps(checkout: Checkout): { tools(): Promise<boolean>; packages(): Promise<boolean> } {
  const tools = join(checkout.root, '.tools')
  const { minimum, version } = versions['nats-server']
  const sources = natsServerSources({ tools, environment: checkout.environment, version })
  return {
    tools: async () => {
      await getJemalloc({ ...checkout, tools })
      return await getNatsServer({ sources, tools, minimum, say: checkout.say })
    },
    packages: () => getPackages(checkout),
  }
}
