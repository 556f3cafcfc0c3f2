import { createPrivateKey, X509Certificate } from 'node:crypto'
import { AUTHORITIES_LIMIT, excessAuthorities } from '@llm-gateway/conf'
import type { LlmGateway } from '@llm-gateway/crds'
import type { Snapshot, Source } from '../../model/snapshot.ts'
import { type KeySource, readKey, sourceName, sourceOf } from '../variables/read-key.ts'
import { authorityKeys } from './tls.ts'

export type BadCertificate = { readonly reason: 'InvalidCertificate'; readonly detail: string }

/**
 * Finds certificates with which no pod could start: unreadable certificates, and certificates with another
 * certificate's key. `keys` are those of one Secret: its certificate and its key.
 */
export function badCertificate(keys: readonly KeySource[], sources: Snapshot['sources']): readonly BadCertificate[] {
  const [at] = keys
  const [certificate, key] = keys.map((source) => textOf(source, sources))
  if (at === undefined || certificate === undefined || key === undefined) return []
  const source = sources.get(sourceOf(at))
  const detail = source && rememberedFault(source, certificate, key)
  return detail === undefined ? [] : [bad(`${at.field}: ${sourceName(at)}: ${detail}`)]
}

/** The references to authorities that exist. */
export type JudgedAuthorities = {
  /** The fields of those that the gateway can use. */
  readonly usable: ReadonlySet<string>
  readonly bad: readonly BadCertificate[]
}

/** Judges the authorities. Reading 400 certificates takes 10 to 20 ms, so this is done once in a translation. */
export function judgeAuthorities(gateway: LlmGateway, sources: Snapshot['sources']): JudgedAuthorities {
  const judged = judgedAuthorities(gateway, sources)
  return {
    usable: new Set(judged.flatMap(({ authority, fault }) => (fault === undefined ? [authority.field] : []))),
    bad: judged.flatMap(({ authority, fault }) => {
      if (fault === undefined) return []
      return [bad(`${authority.field}: ${sourceName(authority)}: ${authority.reference.key} ${fault}`)]
    }),
  }
}

type JudgedAuthority = {
  readonly authority: KeySource
  /** undefined: the reference gives PEM certificates that fit beside those before it. */
  readonly fault: string | undefined
}

function judgedAuthorities(gateway: LlmGateway, sources: Snapshot['sources']): readonly JudgedAuthority[] {
  const found = authorityKeys(gateway).flatMap((authority) => {
    const text = textOf(authority, sources)
    return text === undefined ? [] : [{ authority, text }]
  })
  const excess = excessAuthorities(found.map(({ text }) => text))
  return found.map(({ authority, text }, index) => {
    const fault = excess.has(index) ? EXCESS : certificatesOf(text) === undefined ? NO_CERTIFICATE : undefined
    return { authority, fault }
  })
}

const { bytes, certificates } = AUTHORITIES_LIMIT
const NO_CERTIFICATE = 'holds no PEM certificate'
const EXCESS = `exceeds the limit of ${bytes / 1024} KiB and ${certificates} certificates for all caRefs together`

/** TLS Secret → its verdict, since every translation would read the chain of an unchanged Secret again. */
const verdicts = new WeakMap<Source, { readonly fault: string | undefined }>()
const TOO_LARGE = `exceeds the limit of ${bytes / 1024} KiB and ${certificates} certificates`

function rememberedFault(source: Source, certificate: string, key: string): string | undefined {
  const known = verdicts.get(source) ?? { fault: ingressFault(certificate, key) }
  verdicts.set(source, known)
  return known.fault
}

function ingressFault(certificate: string, key: string): string | undefined {
  // 1 MiB of small certificates takes 50 to 110 ms to read.
  if (excessAuthorities([certificate]).size > 0) return `tls.crt ${TOO_LARGE}`
  const first = certificatesOf(certificate)?.[0]
  if (first === undefined) return 'tls.crt holds no PEM certificate'
  const privateKey = privateKeyOf(key)
  if (privateKey === undefined) return 'tls.key holds no private key'
  return first.checkPrivateKey(privateKey) ? undefined : 'tls.key does not belong to tls.crt'
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** Returns undefined where the text has no certificate, or one that can't be read. */
function certificatesOf(text: string): readonly X509Certificate[] | undefined {
  try {
    const certificates = [...text.matchAll(BLOCK)].map(([block]) => new X509Certificate(block))
    return certificates.length === 0 ? undefined : certificates
  } catch {
    return undefined
  }
}

function privateKeyOf(text: string): ReturnType<typeof createPrivateKey> | undefined {
  try {
    return createPrivateKey(text)
  } catch {
    return undefined
  }
}

function textOf(key: KeySource, sources: Snapshot['sources']): string | undefined {
  const reading = readKey(key, sources)
  return reading.kind === 'value' ? reading.text : undefined
}

function bad(detail: string): BadCertificate {
  return { reason: 'InvalidCertificate', detail }
}
