import type { LlmGateway } from '@llm-gateway/crds'
import { namesOf, WEB_PORT } from '../../../model/names.ts'
import type { RoleName } from '../../../model/role-name.ts'
import { gatewaySettings } from '../../gateway/gateway-settings.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../tls.ts'
import type { WebInterface } from './web-keys.ts'

export const WEB_TLS_DIR = '/etc/llm-gateway-web-tls'

/** The most namespaces that gui_config.json takes. */
const MAX_NAMESPACES = 1_000

type WebConfigInputs = {
  readonly gateway: LlmGateway
  readonly web: WebInterface
  /** Unset: people bind a role of their own. */
  readonly readRole: RoleName | undefined
  /** Other namespaces whose Routers attach, sorted. */
  readonly namespaces: readonly string[]
}

/**
 * Writes the gui_config.json of a web interface (docs/reference/gui-config.md). The program itself replaces `${NAME}`.
 */
export function webConfig({ namespaces, ...given }: WebConfigInputs): string {
  const { kubernetes, ...settings } = webSettings(given)
  const followed = { ...kubernetes, namespaces: namespaces.slice(0, MAX_NAMESPACES) }
  return JSON.stringify({ ...settings, kubernetes: followed }, undefined, 2)
}

/** Returns the settings that the program reads only at its start. The program follows namespaces as they change. */
export function webSettings({ gateway, web, readRole }: Omit<WebConfigInputs, 'namespaces'>) {
  const { metadata } = gateway
  const { service_bus } = gatewaySettings(gateway)
  return {
    gui_port: WEB_PORT,
    secret: '${GUI_SECRET}',
    allowed_hosts: [...new Set([...serviceNames(gateway), ...(web.hosts ?? [])])],
    tls: { ingress: ingressOf(web) },
    service_bus,
    services: [],
    kubernetes: { namespace: metadata.namespace, gateway: metadata.name, mode: web.mode, ...roleOf(readRole) },
  }
}

/** Returns the role that the page tells people to bind in other namespaces. */
function roleOf(role: RoleName | undefined): { readonly read_role?: string } {
  return role === undefined ? {} : { read_role: `${role.kind}/${role.name}` }
}

/** Returns the names of the Service inside the cluster. Other names of this machine would help DNS rebinding. */
function serviceNames({ metadata }: LlmGateway): readonly string[] {
  const { web } = namesOf(metadata)
  const inside = `${web}.${metadata.namespace}`
  return [web, inside, `${inside}.svc`, `${inside}.svc.cluster.local`]
}

function ingressOf({ tls }: WebInterface): object {
  if (tls === undefined) return { enabled: false }
  const [certificate_file, private_key_file] = [`${WEB_TLS_DIR}/${CERTIFICATE}`, `${WEB_TLS_DIR}/${PRIVATE_KEY}`]
  return { enabled: true, certificate_file, private_key_file }
}
