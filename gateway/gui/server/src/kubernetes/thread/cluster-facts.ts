import type { ProcessorState, Resources } from '@llm-gateway/gui-api'
import { bindReadRole } from '../bind-commands.ts'
import { type ClusterView, MOST_NAMESPACES } from './cluster-view.ts'
import { brokenRows } from './list-rows.ts'
import type { ClusterFacts, ClusterStart } from './questions.ts'

const MOST_PROBLEMS = 50
const NOT_FOLLOWED = `The web interface reads the Routers of at most ${MOST_NAMESPACES} other namespaces, and not of this one.`

/** Collects the state of the gateway from the API server's lists. */
export function clusterFacts(view: ClusterView, start: ClusterStart): ClusterFacts {
  const { gateway } = view
  const pods = [...view.pods.objects.values()].filter(({ isOfGateway }) => isOfGateway)
  return {
    synced: view.lists.every(({ state }) => state !== 'waiting'),
    gateway:
      gateway === undefined
        ? undefined
        : {
            scheme: gateway.spec.tls?.ingress === undefined ? 'http' : 'https',
            sessionHeader: gateway.spec.session?.header ?? '',
            maskedHeaders: gateway.spec.record?.maskedHeaders ?? [],
          },
    pods: pods.map(({ name, node, ready, address }) => ({ name, node, ready, address })),
    services: [...view.deployments.objects.values()].map(({ service }) => service),
    processors: view.attachedProcessors.flatMap(({ metadata, spec }) =>
      (['request', 'response'] as const).flatMap((phase): readonly ProcessorState[] => {
        const { [phase]: point } = spec
        if (point === undefined) return []
        const { order = 0, async: isAsync = false, required = false } = point
        const { name } = metadata
        return [{ name, phase, row: order, async: isAsync, required, calls: null, failures: {}, mean_ms: null }]
      }),
    ),
    unreadable: unreadableLists(view, start),
    problems: brokenRows(view, MOST_PROBLEMS).map(({ kind, namespace, name, reason, message }) => ({
      place: { kind, namespace, name },
      reason,
      message,
    })),
  }
}

/** Lists the kinds that can't be read, with the command that grants the right. */
export function unreadableLists(view: ClusterView, start: ClusterStart): Resources['unreadable'] {
  return view.lists.flatMap(({ kind, namespace, state }): Resources['unreadable'] => {
    switch (state) {
      case 'listed':
        return []
      case 'waiting':
        return [{ kind, namespace, why: 'The API server has not answered yet.', command: null }]
      case 'not followed':
        return [{ kind, namespace, why: NOT_FOLLOWED, command: null }]
      case 'forbidden': {
        const why = 'The account of the web interface may not read these resources.'
        return [{ kind, namespace, why, command: bindReadRole(start, namespace) }]
      }
      default:
        return state satisfies never
    }
  })
}
