import type { LlmGateway } from '@llm-gateway/crds'
import { isKind, type ObjectReference, type Store, type Stored } from '@llm-gateway/kube'
import { type Component, componentOf } from '../model/kube-object.ts'
import { namesOf } from '../model/names.ts'
import type { Translation } from '../translate/translate.ts'
import { busToken, webSecret } from './generated-secret.ts'

export type UnwantedObject = { readonly place: ObjectReference; readonly stored: Stored; readonly component: Component }

/**
 * Returns the objects that carry our labels, belong to a gateway and aren't wanted any more. `metadata` is indexed by the
 * controller: anybody may make thousands of Secrets and ConfigMaps, and no pass looks at them.
 */
export function unwantedObjects(
  gateway: LlmGateway,
  { objects, withheld }: Pick<Translation, 'objects' | 'withheld'>,
  metadata: ReadonlyMap<string, Store<Stored>>,
): readonly UnwantedObject[] {
  const names = namesOf(gateway.metadata)
  const wanted = new Set([...objects, ...withheld].map(({ kind, metadata: { name } }) => `${kind} ${name}`))
  wanted.add(`ConfigMap ${names.config}`).add(`Secret ${names.values}`)
  for (const secret of [busToken(gateway), webSecret(gateway)])
    if (secret !== undefined) wanted.add(`Secret ${secret.name}`)
  return [...metadata].flatMap(([kind, store]) => {
    if (!isKind(kind)) return []
    return store.of(gateway.metadata.uid).flatMap((stored) => {
      const { namespace, name, labels, deletionTimestamp } = stored.metadata
      const component = componentOf(labels)
      if (component === undefined || deletionTimestamp !== undefined || wanted.has(`${kind} ${name}`)) return []
      return [{ place: { kind, namespace, name }, stored, component }]
    })
  })
}
