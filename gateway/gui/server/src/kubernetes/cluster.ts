import type { Logger } from '@llm-gateway/conf'
import { createTransport, isObject, type KubeAnswer, type Transport } from '@llm-gateway/kube'
import { createThread, type Thread } from '@llm-gateway/sdk'
import { clusterAccess } from './cluster-access.ts'
import type { ClusterAnswer, ClusterQuestion, ClusterStart } from './thread/questions.ts'

export type ClusterOptions = ClusterStart & {
  readonly logger: Logger
  /** Returns the other namespaces that gui_config.json names now. */
  readonly namespaces: () => readonly string[]
}

type Kind = ClusterQuestion['kind']
type QuestionOf<K extends Kind> = Extract<ClusterQuestion, { readonly kind: K }>
type ValueOf<K extends Kind> = Extract<ClusterAnswer, { readonly kind: K }>['value']

/** A manifest of a megabyte takes seconds, and longer on a busy machine. */
const TIMEOUT_MS = 60_000
/** 5,000 Routers and their judgement take 60 MB; the rest is for larger clusters. */
const HEAP_MEGABYTES = 256
const YOUNG_MEGABYTES = 8
/** Questions beyond these bounds are refused: each may hold a manifest. */
const MOST_WAITING = 64
const MOST_WAITING_BYTES = 16 * 1024 * 1024

/** The cluster: a thread that watches it, and single requests to its API server. */
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
      youngMegabytes: YOUNG_MEGABYTES,
      waiting: MOST_WAITING,
      waitingWeight: MOST_WAITING_BYTES,
    })
  }

  /** Rejects when the token or the kubeconfig can't be read. The API server itself may come later. */
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

  /** Asks the thread. Rejects with a ThreadError. */
  async ask<K extends Kind>(question: QuestionOf<K>): Promise<ValueOf<K>> {
    const weight = 'manifest' in question ? question.manifest.length : 1
    const asked = { question, namespaces: this.#namespaces() }
    const answer = await this.#thread.ask(asked, { weight, timeoutMs: TIMEOUT_MS })
    if (!isAnswer<K>(answer, question.kind)) throw new TypeError('the answer is of another kind than the question')
    return answer.value
  }

  /** Sends one request to the API server. Rejects with a TransportError if there is no answer. */
  request(call: Parameters<Transport['request']>[0]): Promise<KubeAnswer> {
    return this.#transport.request(call)
  }

  async close(): Promise<void> {
    await Promise.all([this.#thread.close(), this.#transport.close()])
  }
}

/** Narrows an answer by its kind; the thread is this program's own. */
function isAnswer<K extends Kind>(
  answer: unknown,
  kind: K,
): answer is { readonly kind: K; readonly value: ValueOf<K> } {
  return isObject(answer) && answer.kind === kind
}
