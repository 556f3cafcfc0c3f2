import { isJsonObject } from '@llm-gateway/protocol'
import { type HttpRequest, type HttpTarget, isSuccess } from '../http/http-target.ts'

/** The sink's identity in Azure. */
export type AzureIdentity =
  | {
      readonly kind: 'application'
      /** The issuer of tokens, `https://login.microsoftonline.com`. */
      readonly authority: URL
      readonly tenantId: string
      readonly clientId: string
      readonly clientSecret: string
    }
  | {
      readonly kind: 'managed'
      /** The machine's metadata service, `http://169.254.169.254`. */
      readonly place: URL
      /** Empty: the machine has only one identity. */
      readonly clientId: string
    }

export type AzureToken =
  | { readonly kind: 'token'; readonly value: string }
  | { readonly kind: 'failed'; readonly code: string }

const AUDIENCE = 'https://monitor.azure.com/'
const METADATA_VERSION = '2018-02-01'
/** A new token is requested this long before the old token expires. */
const EARLY_MS = 120_000

/** The identity's token, cached until shortly before its expiry. */
export class AzureTokens {
  readonly #target: HttpTarget
  readonly #identity: AzureIdentity
  readonly #now: () => number
  #value = ''
  #endsMs = 0

  constructor(target: HttpTarget, { identity, now }: { readonly identity: AzureIdentity; readonly now: () => number }) {
    this.#target = target
    this.#identity = identity
    this.#now = now
  }

  forget(): void {
    this.#endsMs = 0
  }

  async token(): Promise<AzureToken> {
    if (this.#now() < this.#endsMs) return { kind: 'token', value: this.#value }
    const outcome = await this.#target.send(request(this.#identity))
    if (outcome.kind === 'failed') return outcome
    if (!isSuccess(outcome.status)) return { kind: 'failed', code: `TOKEN_HTTP_${outcome.status}` }
    const answer = parsed(outcome.text)
    if (!isJsonObject(answer) || typeof answer.access_token !== 'string')
      return { kind: 'failed', code: 'TOKEN_ANSWER' }
    this.#value = answer.access_token
    this.#endsMs = this.#now() + Number(answer.expires_in ?? 0) * 1_000 - EARLY_MS
    return { kind: 'token', value: this.#value }
  }
}

/**
 * Makes the token request: the client credentials flow of Microsoft's identity platform, or the machine's metadata
 * service.
 */
function request(identity: AzureIdentity): HttpRequest {
  if (identity.kind === 'managed') {
    const query = new URLSearchParams({ 'api-version': METADATA_VERSION, resource: AUDIENCE })
    if (identity.clientId !== '') query.set('client_id', identity.clientId)
    const url = new URL(`/metadata/identity/oauth2/token?${query}`, identity.place)
    return { method: 'GET', url, headers: { Metadata: 'true' }, body: new Uint8Array() }
  }
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: identity.clientId,
    client_secret: identity.clientSecret,
    scope: `${AUDIENCE}/.default`,
  })
  return {
    url: new URL(`/${identity.tenantId}/oauth2/v2.0/token`, identity.authority),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(form.toString()),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The caller treats the answer as malformed.
  }
}
