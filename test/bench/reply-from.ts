// Bare fastify with @fastify/reply-from: streams both ways and parses nothing. `node reply-from.ts PORT
// http://127.0.0.1:UPSTREAM_PORT`
import replyFrom from '@fastify/reply-from'
import Fastify from 'fastify'

const [port, base = ''] = process.argv.slice(2)
const app = Fastify({ bodyLimit: 64 * 1024 * 1024 })
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
await app.register(replyFrom, { base, undici: { connections: 64, pipelining: 1 } })
app.all('/*', (request, reply) => reply.from(request.url))
await app.listen({ port: Number(port), host: '127.0.0.1' })
