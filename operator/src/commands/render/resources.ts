import type { LlmGateway, Processor, Router } from '@llm-gateway/crds'
import type { Source } from '../../model/snapshot.ts'

/** The objects of a folder on which a translation depends. */
export type Resources = {
  readonly gateways: readonly LlmGateway[]
  readonly routers: readonly Router[]
  readonly processors: readonly Processor[]
  /** Namespace → labels. */
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** Secrets and ConfigMaps, by the key that `sourceKey` makes. */
  readonly sources: ReadonlyMap<string, Source>
  /** Objects of kinds that a translation doesn't read: `Deployment llm/other`. */
  readonly ignored: readonly string[]
}

/** An object and its file. */
export type FileObject = { readonly file: string; readonly object: unknown }
