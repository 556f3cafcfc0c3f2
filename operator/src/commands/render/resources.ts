import type { LlmGateway, Processor, Router } from '@llm-gateway/crds'
import type { Source } from '../../model/snapshot.ts'

/** What a folder holds of that which a translation depends on. */
export type Resources = {
  readonly gateways: readonly LlmGateway[]
  readonly routers: readonly Router[]
  readonly processors: readonly Processor[]
  /** Namespace → labels. */
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** As `sourceKey` names them. */
  readonly sources: ReadonlyMap<string, Source>
  /** `Deployment llm/other`: what a translation doesn't look at. */
  readonly ignored: readonly string[]
}

/** An object and the file that it stands in. */
export type Placed = { readonly file: string; readonly object: unknown }
