/** Which LLMGateway's web interface this is. */
type Owner = { readonly namespace: string; readonly gateway: string }

/** As the chart calls them. */
const READ_ROLE = 'llm-gateway-web-read'
const EDIT_ROLE = 'llm-gateway-web-edit'

/** The kubectl command that lets the web interface see a namespace. */
export function bindReadRole(owner: Owner, namespace: string): string {
  return bind(owner, namespace, { name: `${owner.gateway}-web`, role: READ_ROLE })
}

/** The one that lets it write there. */
export function bindEditRole(owner: Owner, namespace: string): string {
  return bind(owner, namespace, { name: `${owner.gateway}-web-edit`, role: EDIT_ROLE })
}

function bind(
  { namespace: own, gateway }: Owner,
  namespace: string,
  { name, role }: { readonly name: string; readonly role: string },
): string {
  return `kubectl -n ${namespace} create rolebinding ${name} --clusterrole=${role} --serviceaccount=${own}:${gateway}-web`
}
