import type { LlmGateway, Processor, Router } from '@llm-gateway/crds'
import { sourceKey } from '../model/snapshot.ts'
import { allKeys } from '../translate/objects/template-keys.ts'
import type { Steps } from '../translate/steps.ts'
import { type KeySource, processorKeys, routerSources } from '../translate/variables/read-key.ts'
import type { SourceReference } from './source-reader.ts'

/** A Secret or ConfigMap that a snapshot needs. */
export type WantedSource = {
  readonly place: SourceReference
  /** True: it is read again even where the watch brought no change. */
  readonly afresh: boolean
}

type SourceUsers = {
  readonly gateway: LlmGateway
  /** The Routers that hold their path. The others need no source, and anybody may make thousands of them. */
  readonly routers: readonly Router[]
  readonly processors: readonly Processor[]
  readonly isNew: (object: LlmGateway | Router | Processor) => boolean
}

/** Returns the sources to read by source key, a Router in each step. */
export function* wantedSources(users: SourceUsers): Steps<ReadonlyMap<string, WantedSource>> {
  const { gateway, routers, processors, isNew } = users
  const wanted = new Map<string, WantedSource>()
  // A new Router may use the gateway's shared variables, so these are read afresh, too.
  const anyNew = [gateway, ...routers].some(isNew)
  for (const one of allKeys(gateway)) addWanted(wanted, one, anyNew)
  for (const processor of processors) {
    for (const one of processorKeys(processor)) addWanted(wanted, one, isNew(processor))
    yield
  }
  for (const router of routers) {
    for (const one of routerSources(router)) addWanted(wanted, one, isNew(router))
    yield
  }
  return wanted
}

function addWanted(
  wanted: Map<string, WantedSource>,
  { kind, namespace, reference: { name } }: KeySource,
  afresh: boolean,
): void {
  const key = sourceKey(namespace, kind, name)
  wanted.set(key, { place: { kind, namespace, name }, afresh: afresh || wanted.get(key)?.afresh === true })
}
