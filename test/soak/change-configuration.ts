import { setTimeout as pause } from 'node:timers/promises'
import type { RunningGatewayProcess } from '../fake/gateway-process.ts'
import type { Random } from '../operator/random.ts'

const MOST_PAUSE_MS = 4_000
const MOST_ROUTERS = 500

/** Changes the configuration repeatedly: more routers, other masks, an unreadable file, and the first file again. */
export async function changeConfiguration(
  gateway: RunningGatewayProcess,
  random: Random,
  goesOn: () => boolean,
): Promise<void> {
  const { config } = gateway
  while (goesOn()) {
    await pause(random.below(MOST_PAUSE_MS))
    const { routers } = config
    const kept = Array.isArray(routers) ? routers : []
    const count = random.below(MOST_ROUTERS)
    const more = Array.from({ length: count }, (_, index) => ({
      path: `/changed/${index}/`,
      outbound: { url: random.chance(0.9) ? 'http://127.0.0.1:1/' : 'no url' },
    }))
    const level = random.pick(['INFO', 'WARN', 'NONSENSE'])
    await gateway.editConfig(() => ({ ...config, log_level: level, routers: [...kept, ...more] }))
  }
  await gateway.editConfig(() => config)
}
