import { createTransport, type KubeAccess, TransportError, textAt } from '@llm-gateway/kube'

/** The API server's view of this process. */
export type OwnAccount = {
  readonly user: string
  /** The namespace of a service account; undefined: the account is a person's or a certificate's. */
  readonly namespace: string | undefined
}

/** After this time without an answer the environment's names are used. */
const TIMEOUT_MS = 5_000
/** The API server's form of a service account's name. */
const SERVICE_ACCOUNT = /^system:serviceaccount:([a-z0-9-]{1,63}):[a-z0-9.-]{1,253}$/

/** Asks by a SelfSubjectReview, which every account may do; undefined: there is no answer. */
export async function ownAccount(access: KubeAccess): Promise<OwnAccount | undefined> {
  const transport = createTransport({ access, timeoutMs: TIMEOUT_MS })
  try {
    const { body } = await transport.request({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    })
    const user = textAt(body, 'status', 'userInfo', 'username')
    return user === undefined ? undefined : { user, namespace: SERVICE_ACCOUNT.exec(user)?.[1] }
  } catch (error) {
    if (error instanceof TransportError) return undefined
    throw error
  } finally {
    await transport.close()
  }
}
