import type { V1Volume, V1VolumeMount } from '@kubernetes/client-node'
import type { LlmGateway } from '@llm-gateway/crds'
import type { JsonOf } from '../../model/manifest.ts'
import type { KeySource } from '../variables/read-key.ts'
import { GROUP_READABLE } from './pod-template.ts'

const INGRESS_DIR = '/etc/llm-gateway-tls'
const AUTHORITIES_DIR = '/etc/llm-gateway-ca'
export const CERTIFICATE = 'tls.crt'
export const PRIVATE_KEY = 'tls.key'

/**
 * The variable that tells a pod whether callers speak TLS. A pod of an older template has no certificate and must not
 * look for one. No resource can set the name, since V_… is reserved, and no value has a name of its form.
 */
export const INGRESS_VARIABLE = 'V_TLS_INGRESS'

/** Variables that a configuration may refer to besides values, as a pod of the new template has them. */
export const TEMPLATE_ENVIRONMENT = { [INGRESS_VARIABLE]: 'true', NATS_TOKEN: 'token' }

export type PodMounts = {
  readonly volumes: readonly JsonOf<V1Volume>[]
  readonly volumeMounts: readonly JsonOf<V1VolumeMount>[]
}

type Tls = Pick<LlmGateway, 'metadata' | 'spec'>

export function speaksTls({ spec }: Tls): boolean {
  return spec.tls?.ingress !== undefined
}

/**
 * Returns `tls` of gl_config.json. The gateway follows the mounted files as they change. An authority that doesn't
 * exist or can't be used is left out: the template that mounts it isn't applied, and pods of the previous template would
 * not start with the path of a missing file.
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

/** Returns `tls.outbound` for the gateway and for sinks, nothing where no resource sets it. */
export function outboundTls(gateway: Tls, isThere: (key: KeySource) => boolean = () => true): object {
  const { tls } = gateway.spec
  if (tls === undefined) return {}
  const { insecure, systemCertPool } = tls.outbound
  const files = authorityKeys(gateway).flatMap((key, index) =>
    isThere(key) ? [`${AUTHORITIES_DIR}/${fileOf(index)}`] : [],
  )
  return { outbound: { insecure, system_cert_pool: systemCertPool, cert_files: files } }
}

/** Returns the references to the gateway's certificate and key. */
export function ingressKeys({ metadata, spec }: Tls): readonly KeySource[] {
  const name = spec.tls?.ingress?.secretRef.name
  return certificateKeys({ field: 'tls.ingress.secretRef', namespace: metadata.namespace, name })
}

/** Returns the references to certificate and key of a TLS Secret, in this order; none without a Secret. */
export function certificateKeys({
  name,
  ...place
}: Pick<KeySource, 'field' | 'namespace'> & { readonly name: string | undefined }): readonly KeySource[] {
  if (name === undefined) return []
  const at = (key: string): KeySource => ({ ...place, kind: 'Secret', reference: { name, key } })
  return [at(CERTIFICATE), at(PRIVATE_KEY)]
}

export function authorityKeys({ metadata, spec }: Tls): readonly KeySource[] {
  const { namespace } = metadata
  return (spec.tls?.outbound.caRefs ?? []).map(({ kind, name, key }, index) => ({
    field: `tls.outbound.caRefs[${index}]`,
    namespace,
    kind,
    reference: { name, key },
  }))
}

export function mountedCertificate({ spec }: Tls): PodMounts {
  return mountedSecret(spec.tls?.ingress?.secretRef.name, INGRESS_DIR)
}

/** Mounts certificate and key as files in a folder, nothing without a Secret. */
export function mountedSecret(name: string | undefined, folder: string): PodMounts {
  if (name === undefined) return { volumes: [], volumeMounts: [] }
  const items = [CERTIFICATE, PRIVATE_KEY].map((key) => ({ key, path: key }))
  return {
    volumes: [{ name: 'tls', secret: { secretName: name, items, defaultMode: GROUP_READABLE } }],
    volumeMounts: [{ name: 'tls', mountPath: folder, readOnly: true }],
  }
}

export function mountedAuthorities({ spec }: Tls): PodMounts {
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
