import type { KeyReference, LlmGateway } from '@llm-gateway/crds'
import { GUI_SECRET_KEY, namesOf } from '../../../model/names.ts'
import type { Snapshot } from '../../../model/snapshot.ts'
import { type KeyReading, type KeySource, keyProblems, sourceOf } from '../../variables/read-key.ts'
import { type BadCertificate, badCertificate } from '../check-certificates.ts'
import { certificateKeys } from '../tls.ts'

export type WebInterface = NonNullable<LlmGateway['spec']['webInterface']>

type Sources = Snapshot['sources']
type Problem = Extract<KeyReading, { kind: 'problem' }> | BadCertificate

/** Returns where the pod reads GUI_SECRET: the named Secret, else the generated Secret. */
export function webSecretReference({ metadata }: Pick<LlmGateway, 'metadata'>, web: WebInterface): KeyReference {
  return web.secretRef ?? { name: namesOf(metadata).web, key: GUI_SECRET_KEY }
}

/** Returns the references of the web interface's pod, its certificate last. */
export function webKeys({ metadata, spec }: LlmGateway): readonly KeySource[] {
  const { webInterface: web } = spec
  if (web === undefined) return []
  const secret = {
    field: 'webInterface.secretRef',
    namespace: metadata.namespace,
    kind: 'Secret',
    reference: webSecretReference({ metadata }, web),
  } as const
  return [secret, ...webCertificateKeys({ metadata, spec })]
}

/** Finds problems of these references. A Secret that is yet to be generated is no problem. */
export function webProblems(gateway: LlmGateway, sources: Sources): readonly Problem[] {
  const keys = webKeys(gateway).filter((key) => !isYetToBeMade(gateway, key, sources))
  return [...keyProblems(keys, sources), ...badCertificate(webCertificateKeys(gateway), sources)]
}

/** Returns whether the template waits for the generated Secret, whose version it will name. */
export function awaitsSecret(gateway: LlmGateway, sources: Sources): boolean {
  return webKeys(gateway).some((key) => isYetToBeMade(gateway, key, sources))
}

/**
 * Returns the Secret's version, since the program reads its environment only at its start. The certificate has no
 * version here: the program reads a changed certificate again.
 */
export function webVersion(gateway: LlmGateway, sources: Sources): string {
  const [secret] = webKeys(gateway)
  const source = secret && sources.get(sourceOf(secret))
  return source?.kind === 'found' ? (source.version ?? '') : ''
}

function webCertificateKeys({ metadata, spec }: Pick<LlmGateway, 'metadata' | 'spec'>): readonly KeySource[] {
  const name = spec.webInterface?.tls?.secretRef.name
  return certificateKeys({ field: 'webInterface.tls.secretRef', namespace: metadata.namespace, name })
}

function isYetToBeMade({ metadata, spec }: LlmGateway, key: KeySource, sources: Sources): boolean {
  const isGenerated = spec.webInterface?.secretRef === undefined && key.reference.name === namesOf(metadata).web
  return isGenerated && (sources.get(sourceOf(key)) ?? MISSING).kind === 'missing'
}

const MISSING = { kind: 'missing' } as const
