import type { Logger } from '@llm-gateway/conf'
import type { LlmGateway, Processor, Router } from '@llm-gateway/crds'
import {
  type Kind,
  keyOf,
  namespacePath,
  type Reflector,
  Store,
  type Stored,
  startReflector,
  type Transport,
} from '@llm-gateway/kube'
import {
  decodeGateway,
  decodeProcessor,
  decodeRouter,
  gatewayKeyOf,
  gatewayKeyOfProcessor,
  type JudgedResources,
} from '@llm-gateway/operator/judge'
import { managersOf } from './owned-fields.ts'
import { labelsOf, type Watched } from './resource-row.ts'
import { decodePod, decodeWorkload, type WatchedPod, type Workload } from './workloads.ts'

export type ViewOptions = {
  readonly namespace: string
  readonly gateway: string
  readonly transport: Transport
  readonly logger: Logger
}

/** The state of the list of a kind in a namespace. */
export type ListState = {
  readonly namespace: string
  readonly kind: Kind
  readonly state: 'waiting' | 'listed' | 'forbidden' | 'not followed'
}

/** Each namespace takes a long-lived connection; the client of the API server has 64. */
export const MOST_NAMESPACES = 40
const TIMINGS = { mostBackoffMs: 10_000 }

type Followed = { state: ListState['state']; readonly reflector: Reflector; readonly empty: () => void }

/** The resources of one LLMGateway that the web interface's account may see, kept up to date. */
export class ClusterView {
  readonly gateways = new Store<Watched<LlmGateway>>()
  readonly routers = new Store<Watched<Router>>()
  readonly processors = new Store<Watched<Processor>>()
  readonly pods = new Store<WatchedPod>()
  readonly deployments = new Store<Workload>()
  readonly #options: ViewOptions
  readonly #followed = new Map<string, Followed>()
  #attached: readonly string[] = []
  #revision = 0

  constructor(options: ViewOptions) {
    this.#options = options
    const { namespace, gateway } = options
    for (const store of [this.gateways, this.routers, this.processors]) store.onChange(() => this.#changed())
    const own = { fieldSelector: `metadata.name=${gateway}` }
    this.#follow({ kind: 'LLMGateway', namespace }, { store: this.gateways, decode: watched(decodeGateway), ...own })
    this.#follow({ kind: 'Processor', namespace }, { store: this.processors, decode: watched(decodeProcessor) })
    const made = { labelSelector: `app.kubernetes.io/instance=${gateway}` }
    this.#follow({ kind: 'Pod', namespace }, { store: this.pods, decode: decodePod, ...made })
    this.#follow({ kind: 'Deployment', namespace }, { store: this.deployments, decode: decodeWorkload, ...made })
    this.#followRouters(namespace)
  }

  /** Grows with each change of a resource. */
  get revision(): number {
    return this.#revision
  }

  /** Sets the other namespaces whose Routers attach. Namespaces that are no longer named are forgotten. */
  setNamespaces(names: readonly string[]): void {
    const { namespace: own } = this.#options
    const next = [...new Set(names)].filter((name) => name !== own).toSorted()
    if (JSON.stringify(next) === JSON.stringify(this.#attached)) return
    const watchedOnes = new Set([own, ...next.slice(0, MOST_NAMESPACES)])
    this.#attached = next
    this.#changed()
    for (const [key, { reflector, empty }] of this.#followed) {
      const [kind, namespace = ''] = key.split('/')
      if (kind !== 'Router' || watchedOnes.has(namespace)) continue
      this.#followed.delete(key)
      void reflector.close() // never rejects
      empty()
    }
    for (const name of watchedOnes) this.#followRouters(name)
  }

  get lists(): readonly ListState[] {
    const followed = [...this.#followed].map(([key, { state }]): ListState => {
      const [kind = '', namespace = ''] = key.split('/')
      return { kind: kindOf(kind), namespace, state }
    })
    const rest = this.#attached.slice(MOST_NAMESPACES)
    return [...followed, ...rest.map((namespace): ListState => ({ kind: 'Router', namespace, state: 'not followed' }))]
  }

  get gateway(): Watched<LlmGateway> | undefined {
    return this.gateways.get(this.#key)
  }

  /** The resources attached to the gateway; undefined until the gateway is known. */
  get resources(): (JudgedResources & { readonly gateway: Watched<LlmGateway> }) | undefined {
    const { gateway } = this
    if (gateway === undefined) return undefined
    return { gateway, routers: this.attachedRouters, processors: this.attachedProcessors, namespaces: this.#attached }
  }

  get attachedRouters(): readonly Watched<Router>[] {
    return [...this.routers.objects.values()].filter((router) => gatewayKeyOf(router) === this.#key)
  }

  get attachedProcessors(): readonly Watched<Processor>[] {
    return [...this.processors.objects.values()].filter((processor) => gatewayKeyOfProcessor(processor) === this.#key)
  }

  get #key(): string {
    return keyOf({ namespace: this.#options.namespace, name: this.#options.gateway })
  }

  #changed(): void {
    this.#revision += 1
  }

  #followRouters(namespace: string): void {
    this.#follow({ kind: 'Router', namespace }, { store: this.routers, decode: watched(decodeRouter) })
  }

  #follow<T extends Stored>(place: Pick<ListState, 'kind' | 'namespace'>, how: FollowOptions<T>): void {
    const { kind, namespace } = place
    const key = `${kind}/${namespace}`
    if (this.#followed.has(key)) return
    const { transport, logger } = this.#options
    const { store } = how
    const answered = (answer: 'listed' | 'forbidden') => {
      const one = this.#followed.get(key)
      if (one === undefined) return
      if (answer === 'forbidden' && one.state !== 'forbidden') {
        logger.warn({ kind, namespace }, 'resources can not be read')
        // After a right is withdrawn the formerly read objects must not be shown.
        store.restore([], namespace)
      }
      one.state = answer
    }
    const path = namespacePath(kind, namespace)
    const reflector = startReflector({ transport, path, namespace, logger, timings: TIMINGS, answered, ...how })
    this.#followed.set(key, { state: 'waiting', reflector, empty: () => store.restore([], namespace) })
  }
}

type FollowOptions<T extends Stored> = {
  readonly store: Store<T>
  readonly decode: (object: unknown, before?: T) => T | undefined
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** Decodes an object and keeps the names of its managers. The fields of each manager are read only for display. */
function watched<T extends Stored>(decode: (object: unknown, before?: T) => T | undefined) {
  return (object: unknown, before?: Watched<T>): Watched<T> | undefined => {
    const decoded = decode(object, before)
    return decoded === undefined ? undefined : { ...decoded, managers: managersOf(object), labels: labelsOf(object) }
  }
}

const KINDS: readonly Kind[] = ['LLMGateway', 'Router', 'Processor', 'Pod', 'Deployment']

function kindOf(text: string): Kind {
  return KINDS.find((kind) => kind === text) ?? 'Router'
}
