/** A role of RBAC that the operator may bind. */
export type RoleName = { readonly kind: 'ClusterRole' | 'Role'; readonly name: string }

/** As gui_config.json takes it too. */
const ROLE = /^(ClusterRole|Role)\/([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)$/

/** `ClusterRole/name`; undefined: it is none. */
export function roleNameOf(text: string): RoleName | undefined {
  const [, kind, name] = ROLE.exec(text) ?? []
  if (name === undefined) return undefined
  return { kind: kind === 'Role' ? kind : 'ClusterRole', name }
}
