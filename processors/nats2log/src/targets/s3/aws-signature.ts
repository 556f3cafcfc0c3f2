import { createHash, createHmac } from 'node:crypto'

export type AwsKey = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The token of a temporary key; empty: the key is permanent. */
  readonly sessionToken: string
}

export type AwsRequest = {
  readonly method: string
  readonly url: URL
  readonly body: Uint8Array
  readonly region: string
  /** Milliseconds since the epoch. */
  readonly nowMs: number
}

/**
 * Returns the headers that sign a request to S3 (AWS Signature Version 4, "Authenticating Requests: Using the
 * Authorization Header").
 */
export function awsHeaders(request: AwsRequest, key: AwsKey): Record<string, string> {
  const { method, url, body, region, nowMs } = request
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const day = time.slice(0, 8)
  const hash = sha256(body)
  const signed: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': hash,
    'x-amz-date': time,
    ...(key.sessionToken === '' ? {} : { 'x-amz-security-token': key.sessionToken }),
  }
  const names = Object.keys(signed).sort()
  const lines = names.map((name) => `${name}:${signed[name]}\n`).join('')
  const canonical = [method, url.pathname, '', lines, names.join(';'), hash].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(Buffer.from(canonical))].join('\n')
  const parts = [day, region, 's3', 'aws4_request']
  const signingKey = parts.reduce<Uint8Array>(hmac, Buffer.from(`AWS4${key.secretAccessKey}`))
  const signature = Buffer.from(hmac(signingKey, text)).toString('hex')
  const credential = `${key.accessKeyId}/${scope}`
  const { host, ...sent } = signed
  const Authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`
  return { ...sent, Authorization }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function hmac(key: Uint8Array, text: string): Uint8Array {
  return createHmac('sha256', key).update(text).digest()
}
