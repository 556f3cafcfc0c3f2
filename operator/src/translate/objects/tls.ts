import type { LlmGateway } from '@llm-gateway/crds'
import type { KeySource } from '../variables/read-key.ts'
import { GROUP_READABLE } from './pod-template.ts'

const INGRESS_DIR = '/etc/llm-gateway-tls'
const AUTHORITIES_DIR = '/etc/llm-gateway-ca'
export const CERTIFICATE = 'tls.crt'
export const PRIVATE_KEY = 'tls.key'

/**
 * Says in the template whether callers speak TLS: a pod of an older template, which hasn't the certificate, must not look for
 * it. A name that no person can give (V_… is reserved) and that isn't of the form of values.
 */
export const INGRESS_VARIABLE = 'V_TLS_INGRESS'

/** What a configuration may refer to besides values: how a pod with the template that is wanted would read it. */
export const TEMPLATE_ENVIRONMENT = { [INGRESS_VARIABLE]: 'true', NATS_TOKEN: 'token' }

export type Mounted = { readonly volumes: readonly object[]; readonly volumeMounts: readonly object[] }

type Tls = Pick<LlmGateway, 'metadata' | 'spec'>

export function speaksTls({ spec }: Tls): boolean {
  return spec.tls?.ingress !== undefined
}

/**
 * `tls` of gl_config.json; the files are the mounted ones, followed by the gateway as they change. An authority that isn't
 * there is left out: its template isn't applied, and a pod of the one before would not start with a file that it hasn't.
 */
export function tlsSettings(gateway: Tls, isThere: (key: KeySource) => boolean): { readonly tls?: object } {
  if (gateway.spec.tls === undefined) return {}
  const ingress = {
    enabled: `\${${INGRESS_VARIABLE}}`,
    certificate_file: `${INGRESS_DIR}/${CERTIFICATE}`,
    private_key_file: `${INGRESS_DIR}/${PRIVATE_KEY}`,
  }
  return { tls: { ...(speaksTls(gateway) ? { ingress } : {}), ...outboundTls(gateway, isThere) } }
}

/** `tls.outbound`, of the gateway and of sinks; left out where nobody said anything. */
export function outboundTls(gateway: Tls, isThere: (key: KeySource) => boolean = () => true): object {
  const { tls } = gateway.spec
  if (tls === undefined) return {}
  const { insecure, systemCertPool } = tls.outbound
  const files = authorityKeys(gateway).flatMap((key, index) =>
    isThere(key) ? [`${AUTHORITIES_DIR}/${fileOf(index)}`] : [],
  )
  return { outbound: { insecure, system_cert_pool: systemCertPool, cert_files: files } }
}

/** Certificate and key of a gateway. */
export function ingressKeys({ metadata, spec }: Tls): readonly KeySource[] {
  return certificateKeys(metadata.namespace, spec.tls?.ingress?.secretRef.name)
}

/** Certificate and key of a Secret of that type, in this order; none of no Secret. */
export function certificateKeys(namespace: string, name: string | undefined): readonly KeySource[] {
  if (name === undefined) return []
  const at = (key: string): KeySource => ({ namespace, kind: 'Secret', reference: { name, key } })
  return [at(CERTIFICATE), at(PRIVATE_KEY)]
}

export function authorityKeys({ metadata, spec }: Tls): readonly KeySource[] {
  const { namespace } = metadata
  return (spec.tls?.outbound.caRefs ?? []).map(({ kind, name, key }) => ({ namespace, kind, reference: { name, key } }))
}

export function mountedCertificate({ spec }: Tls): Mounted {
  return mountedSecret(spec.tls?.ingress?.secretRef.name, INGRESS_DIR)
}

/** Certificate and key as files of a folder; nothing of no Secret. */
export function mountedSecret(name: string | undefined, folder: string): Mounted {
  if (name === undefined) return { volumes: [], volumeMounts: [] }
  const items = [CERTIFICATE, PRIVATE_KEY].map((key) => ({ key, path: key }))
  return {
    volumes: [{ name: 'tls', secret: { secretName: name, items, defaultMode: GROUP_READABLE } }],
    volumeMounts: [{ name: 'tls', mountPath: folder, readOnly: true }],
  }
}

export function mountedAuthorities({ spec }: Tls): Mounted {
  const references = spec.tls?.outbound.caRefs ?? []
  if (references.length === 0) return { volumes: [], volumeMounts: [] }
  const sources = references.map(({ kind, name, key }, index) => ({
    [kind === 'Secret' ? 'secret' : 'configMap']: { name, items: [{ key, path: fileOf(index) }] },
  }))
  return {
    volumes: [{ name: 'authorities', projected: { defaultMode: GROUP_READABLE, sources } }],
    volumeMounts: [{ name: 'authorities', mountPath: AUTHORITIES_DIR, readOnly: true }],
  }
}

function fileOf(index: number): string {
  return `${index}.crt`
}
