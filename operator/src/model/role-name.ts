/** A role of RBAC that the operator may bind. */
export type RoleName = { readonly kind: 'ClusterRole' | 'Role'; readonly name: string }

/** The form of a role, as gui_config.json accepts it. */
const ROLE = /^(ClusterRole|Role)\/([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)$/

/** Parses `ClusterRole/name` or `Role/name`; undefined: the text is neither. */
export function roleNameOf(text: string): RoleName | undefined {
  const [, kind, name] = ROLE.exec(text) ?? []
  if (name === undefined) return undefined
  return { kind: kind === 'Role' ? kind : 'ClusterRole', name }
}
