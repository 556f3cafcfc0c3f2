import { textAt } from '@llm-gateway/kube'
import { TEMPLATE_ENVIRONMENT } from '../../translate/objects/tls.ts'
import { decodeResources } from '../render/decode-resources.ts'
import { type RenderedGateway, render } from '../render/render.ts'
import { firstFalse } from '../render/summary.ts'
import { type Behaviour, behaviourOf, routerKey } from './behaviour.ts'
import type { Resource } from './import-part.ts'

export type RenderedBehaviour = {
  readonly behaviour: Behaviour
  /** `router /a/` → why it doesn't work, in the words of its status. */
  readonly causes: ReadonlyMap<string, string>
}

/** Returns a gateway's behaviour with the configuration that the operator makes of these resources. */
export function renderedBehaviour(resources: readonly Resource[]): RenderedBehaviour {
  const decoded = decodeResources(resources.map((object) => ({ file: 'imported', object })))
  const [gateway] = decoded.kind === 'broken' ? [] : render(decoded.resources, 'none').gateways
  if (gateway === undefined) return { behaviour: new Map(), causes: new Map() }
  const references = { environment: TEMPLATE_ENVIRONMENT, secrets: gateway.values }
  return {
    behaviour: behaviourOf(Buffer.from(gateway.glConfig), references) ?? new Map(),
    causes: causesOf(resources, gateway),
  }
}

function causesOf(resources: readonly Resource[], { statuses }: RenderedGateway): ReadonlyMap<string, string> {
  const routers = resources.filter(({ kind }) => kind === 'Router')
  const paths = new Map(routers.map(({ metadata, spec }) => [metadata.name, textAt(spec, 'path') ?? '']))
  return new Map(
    statuses.flatMap((document): [string, string][] => {
      const message = document.kind === 'Router' ? firstFalse(document)?.message : undefined
      return message === undefined
        ? []
        : [[routerKey(paths.get(document.metadata.name) ?? ''), message.replace(/\.$/, '')]]
    }),
  )
}
