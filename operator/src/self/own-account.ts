import { createTransport, type KubeAccess, TransportError, textAt } from '@llm-gateway/kube'

/** Who the API server takes us for. */
export type OwnAccount = {
  readonly user: string
  /** Of a service account; undefined: it is a person's or a certificate's. */
  readonly namespace: string | undefined
}

/** Who can't be asked now is asked by the name of the environment. */
const TIMEOUT_MS = 5_000
/** As the API server writes it (authentication of service accounts, kubernetes.io/docs). */
const SERVICE_ACCOUNT = /^system:serviceaccount:([a-z0-9-]{1,63}):[a-z0-9.-]{1,253}$/

/** By a SelfSubjectReview, which everybody may ask for; undefined where there is no answer. */
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
