import { GROUP, type LlmGateway } from '@llm-gateway/crds'
import type { ObservedBus } from '../../model/snapshot.ts'

/** Of the nats-server in the image of this version; tools/versions.json has the same. */
export const NATS_SERVER_VERSION = '2.15.0'

/** On the StatefulSet: the version of the server in an image that nobody named. */
export const SERVER_VERSION = `${GROUP}/nats-server`
/** On the StatefulSet: that image, once a pod of it was ready. */
export const PROVEN_IMAGE = `${GROUP}/bus-image`

export type BusImage = {
  readonly image: string
  readonly annotations: Readonly<Record<string, string>>
}

/**
 * What the bus runs. Another version of operator or gateway doesn't start it anew: while the server's version is the same, the
 * image stays that once ran. One that never did is replaced, or a mistyped name could never be mended. A newer operator
 * writes commands for the older image, too: they may use only what every image with this version of the server has.
 */
export function busImage(
  { spec }: Pick<LlmGateway, 'spec'>,
  gatewayImage: string,
  live: ObservedBus | undefined,
): BusImage {
  const named = spec.bus.managed.image
  if (named !== '') return { image: named, annotations: {} }
  const version = { [SERVER_VERSION]: NATS_SERVER_VERSION }
  const kept = live?.annotations[SERVER_VERSION] === NATS_SERVER_VERSION ? provenImage(live) : undefined
  if (kept === undefined) return { image: gatewayImage, annotations: version }
  return { image: kept, annotations: { ...version, [PROVEN_IMAGE]: kept } }
}

function provenImage({ image, ready, annotations }: ObservedBus): string | undefined {
  return annotations[PROVEN_IMAGE] ?? (ready ? image : undefined)
}
