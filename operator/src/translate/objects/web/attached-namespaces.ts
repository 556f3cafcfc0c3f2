import type { Snapshot } from '../../../model/snapshot.ts'
import { admitsNamespace } from '../../admit-namespace.ts'

type Facts = Pick<Snapshot, 'gateway' | 'routers' | 'namespaces'>

/**
 * Other namespaces whose Routers attach, sorted. Those that the gateway admits: whoever names a gateway that takes nothing
 * from him writes nothing into its files.
 */
export function attachedNamespaces({ gateway, routers, namespaces }: Facts): readonly string[] {
  const own = gateway.metadata.namespace
  const named = new Set(routers.map(({ metadata }) => metadata.namespace))
  const { namespaces: admitted } = gateway.spec.allowedRouters
  return [...named]
    .filter((namespace) => namespace !== own && admitsNamespace(admitted, namespace, { own, labels: namespaces }))
    .sort()
}
