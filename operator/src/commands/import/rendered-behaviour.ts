import { TEMPLATE_ENVIRONMENT } from '../../translate/objects/tls.ts'
import { decodeResources } from '../render/decode-resources.ts'
import { render } from '../render/render.ts'
import { type Behaviour, behaviourOf } from './behaviour.ts'
import type { Resource } from './imported.ts'

/** What the operator would make a gateway do with these resources; undefined: nothing. */
export function renderedBehaviour(resources: readonly Resource[]): Behaviour | undefined {
  const decoded = decodeResources(resources.map((object) => ({ file: 'imported', object })))
  if (decoded.kind === 'broken') return undefined
  const [gateway] = render(decoded.resources, 'none').gateways
  if (gateway === undefined) return undefined
  return behaviourOf(Buffer.from(gateway.glConfig), { environment: TEMPLATE_ENVIRONMENT, secrets: gateway.values })
}
