import type { Manifest } from '../../model/manifest.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { admitsNamespace } from '../admit-namespace.ts'
import { hasPlainToken } from './bus-command.ts'
import { busImage } from './bus-image.ts'
import { busObjects } from './bus-objects.ts'
import { gatewayObjects } from './gateway-objects.ts'
import { networkPolicies } from './network-policies.ts'
import { sinkVersions } from './sinks/sink-keys.ts'
import { sinkObjects } from './sinks/sink-objects.ts'
import type { TemplateProblem, TemplateProblems } from './template-problems.ts'
import { awaitsSecret, webVersion } from './web/web-keys.ts'
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
export function makeObjects(snapshot: Snapshot, problems: TemplateProblems): MadeObjects {
  const { gateway, sources, defaultImage } = snapshot
  const image = gateway.spec.image === '' ? defaultImage : gateway.spec.image
  const sinks = problems.sinks.map(({ sink, problems: own }) => {
    const versions = sinkVersions(sink, gateway, sources)
    return checked(sinkObjects(sink, { gateway, image, versions }), own)
  })
  const bus = busObjects(gateway, busImage(gateway, image, snapshot.bus), hasPlainToken(gateway, sources))
  const parts = [
    // Policies come first, so that no pod is ever open to everybody.
    checked(networkPolicies(gateway, snapshot), []),
    checked(bus, problems.bus),
    checked(gatewayObjects(gateway, image), problems.gateway),
    ...sinks,
    webPart(snapshot, image, problems),
  ]
  return {
    objects: parts.flatMap(({ objects }) => objects),
    withheld: parts.flatMap(({ withheld }) => withheld),
  }
}

function webPart(snapshot: Snapshot, image: string, problems: TemplateProblems): MadeObjects {
  const { gateway, sources, webReadRole: readRole } = snapshot
  const { webInterface: web } = gateway.spec
  if (web === undefined) return { objects: [], withheld: [] }
  const version = webVersion(gateway, sources)
  const made = webObjects(gateway, { web, image, version, namespaces: attachedNamespaces(snapshot), readRole })
  const own = [...problems.bus, ...problems.web]
  return waiting(made, own.length > 0 || awaitsSecret(gateway, sources))
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
