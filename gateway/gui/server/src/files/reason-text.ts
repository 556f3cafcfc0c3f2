const TEXTS: Readonly<Record<string, string>> = {
  'required:': 'A value is required.',
  'reserved:': 'NATS_TOKEN and GUI_SECRET are the gateway’s own and can’t be used here.',
  'http_url:': 'An address that begins with http:// or https:// is needed.',
  'router:': 'This can’t be a part of a router.',
  'endpoint:': 'This can’t be a path with a query.',
  'ascii:': 'Only visible ASCII characters and spaces can be sent in a header.',
  'unique:Path': 'Another router has this path; the first one in the file counts.',
  'unset:': 'The variable is not set, so this is empty.',
  'format:': 'This has the wrong form.',
  'json:': 'This is not JSON.',
  'depth:': 'This is nested too deep.',
  'size:': 'This is too large.',
  'address:': 'A host, or a host and a port, is needed.',
  'header:': 'This can’t be the name of a header.',
  'cidr:': 'A range of addresses such as 10.0.0.0/8 is needed.',
  'semver:': 'A version such as 1.0.1 is needed.',
  'gateway_id:': 'Exactly 8 characters of A-Z and 0-9 are needed.',
  'unique:': 'Each value may occur only once.',
  'name:': 'Letters, digits and _ are possible.',
  'subject:': 'This can’t be a subject of the bus.',
}

/** Returns the text for a reason of the check. */
export function reasonText(reason: string, unset: readonly string[]): string {
  if (unset.length > 0)
    return `${unset.map((name) => `\${${name}}`).join(', ')} is not set in the environment of the gateway.`
  const [code = '', detail = ''] = splitReason(reason)
  const text = TEXTS[reason] ?? TEXTS[code]
  if (code === 'type:') return `This has to be ${detail === 'object' || detail === 'array' ? 'an' : 'a'} ${detail}.`
  if (code === 'min:') return `At least ${detail}.`
  if (code === 'max:') return `At most ${detail}.`
  if (code === 'oneof:') return `One of ${detail.split(' ').join(', ')}.`
  if (code === 'json:') return `This is not JSON${detail === '' ? '' : `: ${detail.trim()}`}.`
  return text ?? 'This can’t be used.'
}

function splitReason(reason: string): readonly string[] {
  const colon = reason.indexOf(':')
  return colon < 0 ? [reason, ''] : [reason.slice(0, colon + 1), reason.slice(colon + 1)]
}
