import { Header } from '../http/headers.ts'

/** Codings that the gateway decodes for the record; the LLM API is offered no others. */
const decodableCodings: ReadonlySet<string> = new Set(['gzip', 'deflate', 'br', 'zstd', 'identity'])

/** The longest part of an offer that is read; real programs send a tenth of it. */
const longestOffer = 1024
/** The longest element of an offer; a weight has at most three digits behind the point (RFC 9110, 12.4.2). */
const longestElement = 64

/** A cache of results by offer. Real callers send few different offers; the bounds limit hostile callers. */
const knownOffers = new Map<string, string>()
const maxKnownOffers = 200
const longestKnownOffer = 128

/**
 * Returns the outbound Accept-Encoding: the caller's offer with only the codings that the gateway decodes, each once
 * (docs/reference/http.md#answers).
 */
export function acceptedCodings(header: Header): Header {
  const offer = header.values.length === 1 ? (header.values[0] ?? '') : header.values.join(',')
  const known = knownOffers.get(offer)
  if (known !== undefined) return new Header(header.lower, [known], header.canonical)
  const accepted = decodableOf(truncated(offer))
  if (knownOffers.size < maxKnownOffers && offer.length <= longestKnownOffer) knownOffers.set(offer, accepted)
  return new Header(header.lower, [accepted], header.canonical)
}

/** Cuts a long offer before the element that crosses the limit. */
function truncated(offer: string): string {
  if (offer.length <= longestOffer) return offer
  return offer.slice(0, Math.max(0, offer.lastIndexOf(',', longestOffer)))
}

function decodableOf(offer: string): string {
  const offered = codingOffers(offer)
  const accepted: string[] = []
  for (const coding of offered.values()) {
    if (decodableCodings.has(coding.name)) accepted.push(coding.text)
    else if (coding.name === '*' && !coding.refused) accepted.push(...anyOther(coding, offered))
  }
  if (accepted.length === 0) return 'identity'
  // An unnamed identity is acceptable unless `*` is refused (RFC 9110, 12.5.3).
  const refusesRest = offered.get('*')?.refused === true
  if (refusesRest && !offered.has('identity')) accepted.push('identity;q=0')
  return accepted.join(', ')
}

/** A coding of an offer; `name` is its comparable form, gzip for x-gzip. */
type CodingOffer = { readonly text: string; readonly name: string; readonly weight: string; readonly refused: boolean }

/** Returns the codings of an offer by name; the first of equal names counts. */
function codingOffers(offer: string): ReadonlyMap<string, CodingOffer> {
  const offers = new Map<string, CodingOffer>()
  for (const element of offer.split(',')) {
    const text = element.trim()
    if (text === '' || text.length > longestElement) continue
    const coding = codingOffer(text)
    if (!offers.has(coding.name)) offers.set(coding.name, coding)
  }
  return offers
}

function codingOffer(text: string): CodingOffer {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.map((parameter) => `;${parameter}`).join('')
  return { text, name: name.toLowerCase().replace(/^x-/, ''), weight, refused: /^;q=0(\.0*)?$/i.test(weight) }
}

/** Returns the codings that `*` stands for, those not named in the offer, with the weight of `*`. */
function anyOther({ weight }: CodingOffer, named: ReadonlyMap<string, CodingOffer>): readonly string[] {
  const others = [...decodableCodings].filter((name) => name !== 'identity' && !named.has(name))
  return others.map((name) => name + weight)
}
