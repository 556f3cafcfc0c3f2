/** Returns the Basic authorization for the user-info of a URL (RFC 7617); undefined where the URL has none. */
export function basicAuthorization(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined
  const pair = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

/** Decodes percent escapes; text with a broken escape stays as it is. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
