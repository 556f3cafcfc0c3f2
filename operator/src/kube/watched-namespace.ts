import type { Logger } from '@llm-gateway/conf'
import { type ListAnswer, Store, type Stored, type StoreWriter } from '@llm-gateway/kube'

export type WatchedNamespaceOptions = {
  readonly namespace: string
  readonly logger: Logger
  /** A list that is refused for this long is no longer waited for. */
  readonly forbiddenMs: number
  /** Milliseconds of a clock that never goes back. */
  readonly clock?: () => number
}

/** The store and callback for the reflector of one kind. */
export type ReflectorTarget<T extends Stored> = {
  readonly store: StoreWriter<T>
  readonly answered: (how: ListAnswer) => void
}

type List = {
  readonly kind: string
  readonly enter: () => void
  listed: boolean
  forbiddenSince: number | undefined
}

/**
 * One of the namespaces that an operator is told to watch. Its objects enter the stores at one moment, when all of its
 * lists are there: a gateway without its Routers would lose their paths. A forbidden namespace counts as empty, so that
 * its administrator stops no other namespace. A namespace that becomes forbidden later keeps its known objects.
 */
export class WatchedNamespace {
  readonly #options: WatchedNamespaceOptions
  readonly #clock: () => number
  readonly #lists: List[] = []
  readonly #settled = Promise.withResolvers<void>()
  #entered = false
  #saidForbidden = false

  constructor(options: WatchedNamespaceOptions) {
    this.#options = options
    this.#clock = options.clock ?? (() => performance.now())
  }

  get namespace(): string {
    return this.#options.namespace
  }

  /** Resolves when the namespace is in the stores, or counts as empty. */
  get settled(): Promise<void> {
    return this.#settled.promise
  }

  get isForbidden(): boolean {
    return this.#lists.some(({ forbiddenSince }) => forbiddenSince !== undefined)
  }

  /** Returns the entrance for one kind. All entrances are made before the first answer comes. */
  entranceTo<T extends Stored>(store: Store<T>, kind: string): ReflectorTarget<T> {
    let into = new Store<T>()
    const enter = (): void => {
      const held = into.objects
      into = store
      for (const object of held.values()) store.put(object)
    }
    const list: List = { kind, enter, listed: false, forbiddenSince: undefined }
    this.#lists.push(list)
    return {
      store: {
        get: (key) => into.get(key),
        put: (object) => into.put(object),
        delete: (gone) => into.delete(gone),
        restore: (objects, namespace) => into.restore(objects, namespace),
        replace: (objects, resourceVersion, namespace) => into.replace(objects, resourceVersion, namespace),
      },
      answered: (how) => (how === 'listed' ? this.#listed(list) : this.#forbidden(list)),
    }
  }

  #listed(list: List): void {
    list.listed = true
    list.forbiddenSince = undefined
    // A list that was refused after an answer is old, so it counts only once it is listed again.
    const isWhole = this.#lists.every(({ listed, forbiddenSince }) => listed && forbiddenSince === undefined)
    if (!isWhole) return
    if (!this.#entered) for (const { enter } of this.#lists) enter()
    this.#entered = true
    this.#settled.resolve()
    if (this.#saidForbidden) this.#options.logger.info({ namespace: this.namespace }, 'namespace may be read again')
    this.#saidForbidden = false
  }

  #forbidden(list: List): void {
    const now = this.#clock()
    list.forbiddenSince ??= now
    if (this.#entered) {
      this.#sayForbidden('namespace became forbidden: its objects stay as they were last read')
    } else if (now - list.forbiddenSince >= this.#options.forbiddenMs) {
      this.#sayForbidden('namespace is forbidden: it counts as empty until it may be read')
      this.#settled.resolve()
    }
  }

  #sayForbidden(message: string): void {
    if (this.#saidForbidden) return
    this.#saidForbidden = true
    const refused = this.#lists.filter(({ forbiddenSince }) => forbiddenSince !== undefined)
    const kinds = [...new Set(refused.map(({ kind }) => kind))]
    this.#options.logger.warn({ namespace: this.namespace, kinds }, message)
  }
}
