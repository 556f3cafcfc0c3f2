import type { LlmGateway } from '@llm-gateway/crds'
import { PROVEN_IMAGE, SERVER_VERSION } from '../../model/kube-object.ts'
import type { ObservedBus } from '../../model/snapshot.ts'

/** The version of the nats-server in this version's image, as in tools/versions.json. */
export const NATS_SERVER_VERSION = '2.15.0'

export type BusImage = {
  readonly image: string
  readonly annotations: Readonly<Record<string, string>>
}

/**
 * Chooses the bus's image. While the server's version is the same, the image that once ran stays, so a new operator or
 * gateway doesn't restart the bus. An image that never ran is replaced, or a mistyped name could never be mended. A
 * newer operator writes commands for the older image, too: they may use only features of every image with this version
 * of the server.
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
