import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { Journal } from '@llm-gateway/test/fake/journal'
import { RECORD_STREAM } from '../resources/record-columns.ts'

export type AzureRow = Readonly<Record<string, unknown>>
export type Azure = {
  /** The URL of the data collection endpoint. */
  readonly url: string
  readonly rows: Journal<AzureRow>
  /** Requests to the metadata service. */
  readonly asked: readonly string[]
} & AsyncDisposable

const METADATA = { host: '169.254.169.254', port: 80 } as const
export const RULE_ID = 'dcr-1'

/**
 * Starts Azure's metadata service at its real address, and a data collection endpoint; both refuse the same requests as
 * Azure.
 */
export async function startAzure(): Promise<Azure> {
  const rows = new Journal<AzureRow>()
  const asked: string[] = []
  const metadata = await listen(METADATA, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://metadata')
    const isRight = request.method === 'GET' && request.headers.metadata === 'true'
    if (!isRight || pathname !== '/metadata/identity/oauth2/token') return response.writeHead(400).end()
    asked.push(`client_id=${searchParams.get('client_id')} resource=${searchParams.get('resource')}`)
    return response.end(JSON.stringify({ access_token: 'of-the-identity', expires_in: '86399', token_type: 'Bearer' }))
  })
  const endpoint = await listen({ host: '127.0.0.1', port: 0 }, async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://endpoint')
    if (pathname !== `/dataCollectionRules/${RULE_ID}/streams/${RECORD_STREAM}`) return response.writeHead(404).end()
    if (request.headers.authorization !== 'Bearer of-the-identity') return response.writeHead(401).end()
    for (const row of JSON.parse(await bodyOf(request))) rows.add(row)
    return response.writeHead(204).end()
  })
  const address = endpoint.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    rows,
    asked,
    [Symbol.asyncDispose]: async () => {
      for (const server of [metadata, endpoint]) {
        server.close()
        server.closeAllConnections()
        await once(server, 'close')
      }
    },
  }
}

async function listen(
  place: { readonly host: string; readonly port: number },
  answer: RequestListener,
): Promise<Server> {
  const server = createServer(answer)
  server.listen(place)
  await once(server, 'listening')
  return server
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString()
}
