/** The LLMGateway of this web interface and the role by which its account reads. */
export type Owner = {
  readonly namespace: string
  readonly gateway: string
  /** `ClusterRole/llm-gateway-web-read.llm-gateway-system` */
  readonly readRole: string
}

/** Returns the kubectl command that lets the web interface read a namespace. */
export function bindReadRole(owner: Owner, namespace: string): string {
  return bindCommand(owner, namespace, { name: `${owner.gateway}-web`, role: owner.readRole })
}

/** Returns the command that lets the interface write to a namespace. The chart gives both roles matching names. */
export function bindEditRole(owner: Owner, namespace: string): string {
  const role = owner.readRole.replace('web-read', 'web-edit')
  return bindCommand(owner, namespace, { name: `${owner.gateway}-web-edit`, role })
}

function bindCommand(
  { namespace: own, gateway }: Owner,
  namespace: string,
  { name, role }: { readonly name: string; readonly role: string },
): string {
  const flag = role.replace('/', '=').toLowerCase()
  return `kubectl -n ${namespace} create rolebinding ${name} --${flag} --serviceaccount=${own}:${gateway}-web`
}
