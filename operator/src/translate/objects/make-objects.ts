import type { Snapshot } from '../../snapshot.ts'
import type { KubeObject } from '../kube-object.ts'
import { hasPlainToken } from './bus-command.ts'
import { busImage } from './bus-image.ts'
import { busObjects } from './bus-objects.ts'
import { gatewayObjects } from './gateway-objects.ts'
import { networkPolicies } from './network-policies.ts'
import { sinkVersions } from './sinks/sink-keys.ts'
import { sinksOf } from './sinks/sink-kinds.ts'
import { sinkObjects } from './sinks/sink-objects.ts'
import { busProblems, gatewayProblems, sinkProblems, type TemplateProblem } from './template-problems.ts'

export type MadeObjects = {
  /** To be applied in this order. */
  readonly objects: readonly KubeObject[]
  /** Their template refers to what isn't there: what runs of them stays as it is (kubernetes, 3). */
  readonly withheld: readonly KubeObject[]
}

/** Everything that is made of an LLMGateway itself; processors aside. */
export function makeObjects(snapshot: Snapshot): MadeObjects {
  const { gateway, sources, defaultImage } = snapshot
  const image = gateway.spec.image === '' ? defaultImage : gateway.spec.image
  const sinks = sinksOf(gateway).map((sink) => {
    const versions = sinkVersions(sink, gateway, sources)
    return checked(sinkObjects(sink, { gateway, image, versions }), sinkProblems(sink, gateway, sources))
  })
  const bus = busObjects(gateway, busImage(gateway, image, snapshot.bus), hasPlainToken(gateway, sources))
  const parts = [
    // Policies first: no pod of ours is ever open to everybody.
    checked(networkPolicies(gateway, snapshot), []),
    checked(bus, busProblems(gateway, sources)),
    checked(gatewayObjects(gateway, image), gatewayProblems(gateway, sources)),
    ...sinks,
  ]
  return {
    objects: parts.flatMap(({ objects }) => objects),
    withheld: parts.flatMap(({ withheld }) => withheld),
  }
}

/** What has a template waits for what it refers to; the rest doesn't. */
function checked(made: readonly KubeObject[], problems: readonly TemplateProblem[]): MadeObjects {
  if (problems.length === 0) return { objects: made, withheld: [] }
  const waits = ({ kind }: KubeObject): boolean => kind === 'Deployment' || kind === 'StatefulSet'
  return { objects: made.filter((object) => !waits(object)), withheld: made.filter(waits) }
}
