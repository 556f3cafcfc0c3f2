import { createHmac } from 'node:crypto'

export type Signed = {
  readonly workspaceId: string
  /** Base64, as the portal shows it. */
  readonly sharedKey: string
  /** Of the body, bytes. */
  readonly contentLength: number
  /** The value of x-ms-date. */
  readonly date: string
}

const RESOURCE = '/api/logs'
export const CONTENT_TYPE = 'application/json'

/** The value of Authorization for one post (HTTP Data Collector API, SharedKey): HMAC-SHA256 of five lines. */
export function azureSignature({ workspaceId, sharedKey, contentLength, date }: Signed): string {
  const lines = ['POST', String(contentLength), CONTENT_TYPE, `x-ms-date:${date}`, RESOURCE]
  const hash = createHmac('sha256', Buffer.from(sharedKey, 'base64')).update(lines.join('\n'), 'utf8')
  return `SharedKey ${workspaceId}:${hash.digest('base64')}`
}
