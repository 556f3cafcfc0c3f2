import type { Logger } from '@llm-gateway/conf'
import { createTransport, isObject, type KubeAnswer, type Transport } from '@llm-gateway/kube'
import { createThread, type Thread } from '@llm-gateway/sdk'
import { clusterAccess } from './cluster-access.ts'
import type { ClusterAnswer, ClusterQuestion, ClusterStart } from './thread/questions.ts'

export type ClusterOptions = ClusterStart & {
  readonly logger: Logger
  /** The other namespaces, as the file names them now. */
  readonly namespaces: () => readonly string[]
}

type Kind = ClusterQuestion['kind']
type QuestionOf<K extends Kind> = Extract<ClusterQuestion, { readonly kind: K }>
type ValueOf<K extends Kind> = Extract<ClusterAnswer, { readonly kind: K }>['value']

const TIMEOUT_MS = 30_000
/** 5,000 Routers and what is judged of them are 100 MB. */
const HEAP_MEGABYTES = 256
/** Beyond it a question is refused: each may hold a manifest. */
const MOST_WAITING = 64
const MOST_WAITING_BYTES = 16 * 1024 * 1024

/** What is known of the cluster: a thread that watches it, and single requests of its API server. */
export class Cluster {
  readonly #thread: Thread
  readonly #transport: Transport
  readonly #namespaces: ClusterOptions['namespaces']

  private constructor(options: ClusterOptions, transport: Transport) {
    const { logger, namespace, gateway, readRole, kubeconfig, environment } = options
    const data: ClusterStart = { namespace, gateway, readRole, kubeconfig, environment }
    this.#namespaces = options.namespaces
    this.#transport = transport
    this.#thread = createThread({
      program: new URL('./thread/cluster-thread.ts', import.meta.url),
      data,
      name: 'cluster',
      logger,
      heapMegabytes: HEAP_MEGABYTES,
      waiting: MOST_WAITING,
      waitingWeight: MOST_WAITING_BYTES,
    })
  }

  /** Rejects where the access can't be read: no token, no such file. The API server itself may come later. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = options.environment
    const environment = {
      ...(host === undefined ? {} : { KUBERNETES_SERVICE_HOST: host }),
      ...(port === undefined ? {} : { KUBERNETES_SERVICE_PORT: port }),
    }
    const transport = createTransport({ access: await clusterAccess(options) })
    const cluster = new Cluster({ ...options, environment }, transport)
    await cluster.#thread.start()
    return cluster
  }

  /** False while the thread is being replaced. */
  get ready(): boolean {
    return this.#thread.ready
  }

  /** Asks the thread; rejects with a ThreadError. */
  async ask<K extends Kind>(question: QuestionOf<K>): Promise<ValueOf<K>> {
    const weight = 'manifest' in question ? question.manifest.length : 1
    const asked = { question, namespaces: this.#namespaces() }
    const answer = await this.#thread.ask(asked, { weight, timeoutMs: TIMEOUT_MS })
    if (!isAnswer<K>(answer, question.kind)) throw new TypeError('another answer than was asked for')
    return answer.value
  }

  /** One request of the API server; rejects with TransportError where there is no answer. */
  request(call: Parameters<Transport['request']>[0]): Promise<KubeAnswer> {
    return this.#transport.request(call)
  }

  async close(): Promise<void> {
    await Promise.all([this.#thread.close(), this.#transport.close()])
  }
}

/** The thread is this program's own: the kind tells the rest. */
function isAnswer<K extends Kind>(
  answer: unknown,
  kind: K,
): answer is { readonly kind: K; readonly value: ValueOf<K> } {
  return isObject(answer) && answer.kind === kind
}
