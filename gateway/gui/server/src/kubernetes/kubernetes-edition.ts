import type { GuiConfig } from '@llm-gateway/conf'
import { endpoints } from '@llm-gateway/gui-api'
import { GATEWAY_PORT } from '@llm-gateway/operator/judge'
import { answered, type Route, route } from '../answer.ts'
import type { Edition, EditionDependencies } from '../edition.ts'
import { ChartRecorder, followCharts } from '../live/chart-recorder.ts'
import { shareRunning } from '../share-running.ts'
import { type PrepareCall, tryRoute } from '../trying/try-call.ts'
import { ApiRequests } from './api-requests.ts'
import { Cluster } from './cluster.ts'
import { clusterOverview } from './cluster-overview.ts'
import { clusterRoutes, effectiveFileReader } from './cluster-routes.ts'
import { fetchPodStatuses, readPodMetrics, type TakeSample } from './pod-statuses.ts'
import { SeenVersions } from './seen-versions.ts'

const SESSION_HEADER = 'Session-Id'

/** Starts the edition whose source of truth is the custom resources of one LLMGateway. */
export async function kubernetesEdition(
  dependencies: EditionDependencies,
  kubernetes: NonNullable<GuiConfig['kubernetes']>,
): Promise<Edition> {
  const { namespace, gateway, mode, read_role: readRole } = kubernetes
  const { environment, logger, signal, version } = dependencies
  const owner = { namespace, gateway, readRole }
  const cluster = await Cluster.start({
    ...owner,
    kubeconfig: environment.KUBECONFIG,
    environment,
    logger,
    namespaces: () => dependencies.current().kubernetes?.namespaces ?? [],
  })
  const requests = new ApiRequests(cluster, owner)
  const file = effectiveFileReader({ cluster, requests, owner })
  // Anybody may ask for the readiness: without the shared call many questions would fill the line of the thread.
  const facts = shareRunning(() => cluster.ask({ kind: 'cluster' }))
  // Only the bus keeps records: this pod has no file of a sink.
  const source = dependencies.openRecords(async () => undefined)
  const charts = new ChartRecorder()
  const read = async (take: TakeSample) => readPodMetrics((await facts()).pods, take)
  followCharts(charts, { signal, now: dependencies.now, read })
  // Many pages ask every few seconds, and each answer asks all pods.
  const overview = shareRunning(async () => {
    const [seen, { digest }, stream] = await Promise.all([facts(), file(), source.kept()])
    const bus = { connected: source.connected, stream: stream ?? null }
    const statuses = await fetchPodStatuses(seen.pods)
    return clusterOverview({ namespace, gateway, mode, version }, { facts: seen, statuses, digest, bus })
  })
  const routes: readonly Route[] = [
    ...clusterRoutes({ cluster, requests, owner, mode, file, seen: new SeenVersions() }),
    route(endpoints.overview, async () => answered(await overview())),
    route(endpoints.charts, async ({ query }) => answered(charts.charts(query.minutes, dependencies.now()))),
    tryRoute(prepareByResource(cluster, { host: `${gateway}.${namespace}.svc`, secrets: dependencies.ownSecrets })),
  ]
  return {
    name: 'kubernetes',
    source,
    routes,
    bytesRoutes: [],
    // An API server that goes away later doesn't make the page unready.
    ready: async () => cluster.ready && (await facts()).synced,
    close: () => cluster.close(),
  }
}

type CallDependencies = { readonly host: string; readonly secrets: () => readonly string[] }

/** Prepares calls through the gateway's Service, as callers in the cluster make them. */
function prepareByResource(cluster: Cluster, { host, secrets }: CallDependencies): PrepareCall {
  return async (router) => {
    const [{ gateway }, callers] = await Promise.all([
      cluster.ask({ kind: 'cluster' }),
      cluster.ask({ kind: 'callers', path: router }),
    ])
    if (gateway === undefined) return undefined
    const { scheme, sessionHeader } = gateway
    return {
      target: {
        host,
        port: GATEWAY_PORT,
        scheme,
        certificateFile: undefined,
        sessionHeader: sessionHeader || SESSION_HEADER,
      },
      callerHeaders: new Map(callers.headers),
      secrets: [...callers.secrets, ...secrets()],
    }
  }
}
