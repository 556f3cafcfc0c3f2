import assert from 'node:assert/strict'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { WorkQueue } from '../work/work-queue.ts'
import { decodeBody as decodeInto } from './decode-body.ts'

// Rules: docs/reference/http.md#answers

type DecodedBody =
  | { readonly kind: 'decoded'; readonly bytes: Buffer; readonly cut: boolean; readonly truncated: boolean }
  | { readonly kind: 'undecodable' | 'stopped' }

/** Decodes to one buffer. */
async function decodeBody(
  raw: readonly Uint8Array[],
  contentEncoding: string,
  limitBytes: number,
): Promise<DecodedBody> {
  const chunks: Buffer[] = []
  const slice = new WorkQueue().begin('/a/')
  const consume = (bytes: Buffer) => {
    chunks.push(bytes)
    return true
  }
  const body = await decodeInto(raw, contentEncoding, { limitBytes, consume, slice })
  return body.kind === 'decoded' ? { ...body, bytes: Buffer.concat(chunks) } : { kind: body.kind }
}

const LIMIT = 1_000_000
const TEXT = Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, (_, i) => `item ${i * 7919}`)))

const ENCODERS = {
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  deflate: zlib.deflateSync,
  'deflate, raw': zlib.deflateRawSync,
  br: (bytes: Uint8Array) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
  zstd: zlib.zstdCompressSync,
}

/** Returns the Content-Encoding for the encoder of that name. */
const headerOf = (name: string) => name.replace(', raw', '')

/** deepEqual isn't used: printing the difference of two large buffers takes minutes and gigabytes. */
function assertDecoded(body: DecodedBody, bytes: Uint8Array, marks = { cut: false, truncated: false }): void {
  assert.ok(body.kind === 'decoded')
  assert.deepEqual({ cut: body.cut, truncated: body.truncated }, marks)
  assert.equal(body.bytes.length, bytes.length)
  assert.ok(body.bytes.equals(bytes))
}

/** Cuts bytes into pieces of an odd size, as from a socket. */
function pieces(bytes: Uint8Array, size = 10_007): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}

for (const [name, encode] of Object.entries(ENCODERS)) {
  test(`${name} is decoded`, async () => {
    const body = await decodeBody(pieces(encode(TEXT)), headerOf(name).toUpperCase(), LIMIT)
    assertDecoded(body, TEXT)
  })

  test(`${name} is decoded up to the limit`, async () => {
    const body = await decodeBody(pieces(encode(TEXT)), headerOf(name), 70_001)
    assertDecoded(body, TEXT.subarray(0, 70_001), { cut: true, truncated: false })
  })

  test(`${name} of exactly the limit is whole`, async () => {
    const body = await decodeBody([encode(TEXT)], headerOf(name), TEXT.length)
    assertDecoded(body, TEXT)
  })

  test(`${name} that broke off yields the bytes that arrived`, async () => {
    const coded = encode(TEXT)
    const body = await decodeBody(pieces(coded.subarray(0, coded.length - 2_000)), headerOf(name), LIMIT)
    assert.ok(body.kind === 'decoded' && body.truncated && !body.cut)
    assert.ok(body.bytes.length > 0 && body.bytes.length < TEXT.length)
    assert.ok(body.bytes.equals(TEXT.subarray(0, body.bytes.length)))
  })

  test(`a small body of ${name} is decoded, and a truncated one is recognized`, async () => {
    const coded = encode(Buffer.from('{"choices":[]}'))
    assertDecoded(await decodeBody([coded], headerOf(name), LIMIT), Buffer.from('{"choices":[]}'))
    const broken = await decodeBody([coded.subarray(0, -1)], headerOf(name), LIMIT)
    assert.ok(broken.kind === 'decoded' && broken.truncated)
    const cut = await decodeBody([coded], headerOf(name), 3)
    assertDecoded(cut, Buffer.from('{"c'), { cut: true, truncated: false })
  })

  test(`a bomb of ${name} takes no more memory than the limit`, async () => {
    const bomb = encode(Buffer.alloc(300_000_000))
    const before = process.memoryUsage.rss()
    const body = await decodeBody([bomb], headerOf(name), LIMIT)
    assert.ok(body.kind === 'decoded' && body.cut && body.bytes.length === LIMIT)
    assert.ok(process.memoryUsage.rss() - before < 100_000_000)
  })
}

const gzip = zlib.gzipSync

function withWrongChecksum(coded: Buffer): Buffer {
  const wrong = Buffer.from(coded)
  wrong.writeUInt32LE(wrong.readUInt32LE(wrong.length - 8) ^ 1, wrong.length - 8)
  return wrong
}

const CASES: readonly (readonly [
  title: string,
  encoding: string,
  coded: Uint8Array,
  expected: Uint8Array | 'undecodable',
])[] = [
  ['an absent coding means identity', '', TEXT, TEXT],
  ['identity', 'identity', TEXT, TEXT],
  ['identity in a list', 'identity, gzip', gzip(TEXT), TEXT],
  ['empty list members are ignored', ' , gzip ,', gzip(TEXT), TEXT],
  ['the last coding of a list is decoded first', 'gzip, br', ENCODERS.br(gzip(TEXT)), TEXT],
  ['a list in the wrong order', 'br, gzip', ENCODERS.br(gzip(TEXT)), 'undecodable'],
  ['four codings', 'gzip, gzip, gzip, gzip', gzip(gzip(gzip(gzip(TEXT)))), TEXT],
  ['five codings are refused', 'gzip,gzip,gzip,gzip,gzip', gzip(gzip(gzip(gzip(gzip(TEXT))))), 'undecodable'],
  ['several gzip members are one body', 'gzip', Buffer.concat([gzip('a'), gzip('b'), gzip('c')]), Buffer.from('abc')],
  [
    'garbage after the last gzip member is ignored',
    'gzip',
    Buffer.concat([gzip('a'), Buffer.alloc(9)]),
    Buffer.from('a'),
  ],
  [
    'several zstd frames are one body',
    'zstd',
    Buffer.concat([ENCODERS.zstd(TEXT), ENCODERS.zstd(TEXT)]),
    Buffer.concat([TEXT, TEXT]),
  ],
  ['an unknown coding', 'compress', TEXT, 'undecodable'],
  ['a member name of Object.prototype is an unknown coding', 'constructor', TEXT, 'undecodable'],
  ['an unknown coding under a known coding', 'sdch, gzip', gzip(TEXT), 'undecodable'],
  ['plain text labelled gzip', 'gzip', TEXT, 'undecodable'],
  ['plain text labelled br', 'br', TEXT, 'undecodable'],
  ['plain text labelled zstd', 'zstd', TEXT, 'undecodable'],
  ['no bytes at all (an answer to HEAD)', 'gzip', new Uint8Array(), new Uint8Array()],
  ['a wrong checksum', 'gzip', withWrongChecksum(gzip(TEXT)), 'undecodable'],
]

for (const [title, encoding, coded, expected] of CASES) {
  test(`content coding: ${title}`, async () => {
    const body = await decodeBody(pieces(coded, 7), encoding, LIMIT)
    if (expected === 'undecodable') assert.deepEqual(body, { kind: 'undecodable' })
    else assertDecoded(body, Buffer.from(expected))
  })
}

test('more than 1,000 zstd frames are undecodable', async () => {
  const frames = (count: number) => Buffer.concat(Array.from({ length: count }, () => zlib.zstdCompressSync('x')))
  assert.equal((await decodeBody([frames(900)], 'zstd', LIMIT)).kind, 'decoded')
  assert.deepEqual(await decodeBody([frames(1_100)], 'zstd', LIMIT), { kind: 'undecodable' })
})

test('the limit counts all zstd frames together', async () => {
  const frame = zlib.zstdCompressSync(TEXT)
  const body = await decodeBody([Buffer.concat([frame, frame, frame])], 'zstd', TEXT.length + 5)
  assertDecoded(body, Buffer.concat([TEXT, TEXT.subarray(0, 5)]), { cut: true, truncated: false })
})

test('a zstd frame that asks for a window above 8 MiB is refused', async () => {
  const wide = zlib.zstdCompressSync(Buffer.alloc(20_000_000), { params: { [zlib.constants.ZSTD_c_windowLog]: 24 } })
  assert.deepEqual(await decodeBody([wide], 'zstd', LIMIT), { kind: 'undecodable' })
})

test('the decoding of a bomb inside a bomb stops at the limit of the outer bomb', async () => {
  const body = await decodeBody([gzip(gzip(Buffer.alloc(300_000_000)))], 'gzip, gzip', 10_000)
  assert.ok(body.kind === 'decoded' && body.cut && body.bytes.length <= 10_000)
})

test('an uncoded body is cut at the limit too, across its pieces', async () => {
  const body = await decodeBody(pieces(TEXT), '', 2_500)
  assertDecoded(body, TEXT.subarray(0, 2_500), { cut: true, truncated: false })
})
