/** What every container of ours is held to (the restricted pod security standard). */
export const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
}

const USER = 65_532

export const POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  // What a volume holds is readable by the group alone.
  fsGroup: USER,
  seccompProfile: { type: 'RuntimeDefault' },
}

/** 0440 */
export const GROUP_READABLE = 0o440
