import type { Manifest } from '../../model/manifest.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { admitsNamespace } from '../admit-namespace.ts'
import { hasPlainToken } from './bus-command.ts'
import { busImage } from './bus-image.ts'
import { busObjects } from './bus-objects.ts'
import { gatewayObjects } from './gateway-objects.ts'
import { networkPolicies } from './network-policies.ts'
import { sinkVersions } from './sinks/sink-keys.ts'
import { sinksOf } from './sinks/sink-kinds.ts'
import { sinkObjects } from './sinks/sink-objects.ts'
import { busProblems, gatewayProblems, sinkProblems, type TemplateProblem } from './template-problems.ts'
import { awaitsSecret, webProblems, webVersion } from './web/web-keys.ts'
import { webObjects } from './web/web-objects.ts'

export type MadeObjects = {
  /** In the order in which they are applied. */
  readonly objects: readonly Manifest[]
  /**
   * Objects whose templates refer to a Secret or ConfigMap that doesn't exist. Their pods, where there are any, run on
   * unchanged.
   */
  readonly withheld: readonly Manifest[]
}

/** Makes all objects of an LLMGateway but those of its Processors. */
export function makeObjects(snapshot: Snapshot): MadeObjects {
  const { gateway, sources, defaultImage } = snapshot
  const image = gateway.spec.image === '' ? defaultImage : gateway.spec.image
  const sinks = sinksOf(gateway).map((sink) => {
    const versions = sinkVersions(sink, gateway, sources)
    return checked(sinkObjects(sink, { gateway, image, versions }), sinkProblems(sink, gateway, sources))
  })
  const bus = busObjects(gateway, busImage(gateway, image, snapshot.bus), hasPlainToken(gateway, sources))
  const parts = [
    // Policies come first, so that no pod is ever open to everybody.
    checked(networkPolicies(gateway, snapshot), []),
    checked(bus, busProblems(gateway, sources)),
    checked(gatewayObjects(gateway, image), gatewayProblems(gateway, sources)),
    ...sinks,
    webPart(snapshot, image),
  ]
  return {
    objects: parts.flatMap(({ objects }) => objects),
    withheld: parts.flatMap(({ withheld }) => withheld),
  }
}

function webPart(snapshot: Snapshot, image: string): MadeObjects {
  const { gateway, sources, webReadRole: readRole } = snapshot
  const { webInterface: web } = gateway.spec
  if (web === undefined) return { objects: [], withheld: [] }
  const version = webVersion(gateway, sources)
  const made = webObjects(gateway, { web, image, version, namespaces: attachedNamespaces(snapshot), readRole })
  const problems = [...busProblems(gateway, sources), ...webProblems(gateway, sources)]
  return waiting(made, problems.length > 0 || awaitsSecret(gateway, sources))
}

/** Holds a template back until its references exist. Other objects are applied at once. */
function checked(made: readonly Manifest[], problems: readonly TemplateProblem[]): MadeObjects {
  return waiting(made, problems.length > 0)
}

function waiting(made: readonly Manifest[], isHeldUp: boolean): MadeObjects {
  if (!isHeldUp) return { objects: made, withheld: [] }
  const waits = ({ kind }: Manifest): boolean => kind === 'Deployment' || kind === 'StatefulSet'
  return { objects: made.filter((object) => !waits(object)), withheld: made.filter(waits) }
}

type AttachedInputs = Pick<Snapshot, 'gateway' | 'routers' | 'namespaces'>

/**
 * Returns other namespaces whose Routers attach, sorted. Only namespaces that the gateway admits count: a refused
 * Router must write nothing into the gateway's files.
 */
export function attachedNamespaces({ gateway, routers, namespaces }: AttachedInputs): readonly string[] {
  const own = gateway.metadata.namespace
  const named = new Set(routers.map(({ metadata }) => metadata.namespace))
  const { namespaces: admitted } = gateway.spec.allowedRouters
  return [...named]
    .filter((namespace) => namespace !== own && admitsNamespace(admitted, namespace, { own, labels: namespaces }))
    .sort()
}
