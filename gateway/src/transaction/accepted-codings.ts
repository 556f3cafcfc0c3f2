import { Header } from '../http/headers.ts'

/** Codings the record's decoder knows: the LLM API may use no other, so that what passes can be read here too. */
const decodableCodings: ReadonlySet<string> = new Set(['gzip', 'deflate', 'br', 'zstd', 'identity'])

/** An offer is read up to here; those of real programs are a tenth of it. */
const longestOffer = 1024
/** A weight has at most three digits behind the point (RFC 9110, 12.4.2). */
const longestElement = 64

/** The result of each offer; callers are few kinds of programs, and the bounds are for hostile ones. */
const knownOffers = new Map<string, string>()
const mostKnownOffers = 200
const longestKnownOffer = 128

/**
 * The caller's Accept-Encoding as it leaves: only codings that the gateway decodes, each once
 * (docs/reference/http.md#answers).
 */
export function acceptedCodings(header: Header): Header {
  const offer = header.values.length === 1 ? (header.values[0] ?? '') : header.values.join(',')
  const known = knownOffers.get(offer)
  if (known !== undefined) return new Header(header.lower, [known], header.canonical)
  const kept = decodableOf(readable(offer))
  if (knownOffers.size < mostKnownOffers && offer.length <= longestKnownOffer) knownOffers.set(offer, kept)
  return new Header(header.lower, [kept], header.canonical)
}

/** Without the element that the limit would cut in two. */
function readable(offer: string): string {
  if (offer.length <= longestOffer) return offer
  return offer.slice(0, Math.max(0, offer.lastIndexOf(',', longestOffer)))
}

function decodableOf(offer: string): string {
  const offered = codingOffers(offer)
  const kept: string[] = []
  for (const coding of offered.values()) {
    if (decodableCodings.has(coding.name)) kept.push(coding.text)
    else if (coding.name === '*' && !coding.refused) kept.push(...anyOther(coding, offered))
  }
  if (kept.length === 0) return 'identity'
  // Where it isn't named, identity is welcome unless `*` is refused (RFC 9110, 12.5.3).
  const refusesRest = offered.get('*')?.refused === true
  if (refusesRest && !offered.has('identity')) kept.push('identity;q=0')
  return kept.join(', ')
}

/** `name` as it is compared: x-gzip means gzip. */
type CodingOffer = { readonly text: string; readonly name: string; readonly weight: string; readonly refused: boolean }

/** By name; of a coding that is named twice the first counts. */
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

/** `*` is every coding that isn't named, with its own weight. */
function anyOther({ weight }: CodingOffer, named: ReadonlyMap<string, CodingOffer>): readonly string[] {
  const others = [...decodableCodings].filter((name) => name !== 'identity' && !named.has(name))
  return others.map((name) => name + weight)
}
