// An Elasticsearch-compatible target for the ledger: `node bulk-program.ts PORT FILE`. The program creates documents
// by id and appends a line with the id and the call's serial to FILE, so answered documents survive a kill.
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { serialOf } from './serial-of.ts'

const [port = '', file = ''] = process.argv.slice(2)
const ids = new Set(readStoredIds())

createServer((request, response) => void answerRequest(request, response)).listen(Number(port), '127.0.0.1', () =>
  console.log('target ready'),
)

/** Handles `_bulk`, and single records at `/<index>/_doc/<id>`. */
async function answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks = await request.toArray().catch(() => undefined)
  if (chunks === undefined) return
  const text = Buffer.concat(chunks).toString()
  const [, id] = /\/_doc\/([^/?]+)\?op_type=create$/.exec(request.url ?? '') ?? []
  response.setHeader('Content-Type', 'application/json')
  if (id !== undefined) {
    response.statusCode = storeDocuments([{ id: decodeURIComponent(id), record: text }])[0] ?? 500
    response.end('{}')
    return
  }
  const lines = text.split('\n')
  const documents = lines.flatMap((line, at) =>
    at % 2 === 0 && line !== '' ? { id: String(JSON.parse(line).create._id), record: lines[at + 1] ?? '' } : [],
  )
  response.end(JSON.stringify({ items: storeDocuments(documents).map((status) => ({ create: { status } })) }))
}

/** Keeps documents and returns the status of each. */
function storeDocuments(documents: readonly { readonly id: string; readonly record: string }[]): readonly number[] {
  let kept = ''
  const statuses = documents.map(({ id, record }) => {
    if (ids.has(id)) return 409
    ids.add(id)
    kept += `${id} ${serialOf(record)}\n`
    return 201
  })
  appendFileSync(file, kept)
  return statuses
}

/** Reads whole lines and cuts a half-written line, whose document was never answered. */
function readStoredIds(): readonly string[] {
  if (!existsSync(file)) return []
  const text = readFileSync(file, 'utf8')
  const end = text.lastIndexOf('\n') + 1
  truncateSync(file, end)
  return text
    .slice(0, end)
    .split('\n')
    .flatMap((line) => line.split(' ')[0] || [])
}
