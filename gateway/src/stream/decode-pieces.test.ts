import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { WorkQueue } from '../work/work-queue.ts'
import { chunksOf } from './assembled-under-test.ts'
import { type DecodedBody, decodeBody, decodeShort, SHORT_BYTES } from './decode-body.ts'

// Rules: docs/reference/http.md#answers

const work = new WorkQueue()
const LIMIT = 64 * 1024 * 1024
const ENCODERS = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: (bytes: Uint8Array) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
  zstd: zlib.zstdCompressSync,
}
const TEXT = Buffer.from(Array.from({ length: 30_000 }, (_, i) => `item ${i * 7919}`).join())
/** Random bytes, so that the coded body is too large to be decoded at once. */
const SHORT = randomBytes(17_000)

type Taken = { readonly body: DecodedBody; readonly pieces: readonly Buffer[] }

async function decodeIntoPieces(raw: readonly Uint8Array[], coding: string, limitBytes = LIMIT): Promise<Taken> {
  const pieces: Buffer[] = []
  const consume = (piece: Buffer) => {
    pieces.push(piece)
    return true
  }
  return { body: await decodeBody(raw, coding, { limitBytes, consume, slice: work.begin('/a/') }), pieces }
}

for (const [name, encode] of Object.entries(ENCODERS)) {
  test(`${name} is decoded into pieces of 64 KiB at most, whatever the size of its chunks`, async () => {
    // Each piece is a job of another thread, so that only the short body is cut into single bytes.
    for (const [text, size] of [
      [SHORT, 1],
      [SHORT, 3],
      [TEXT, 1_000],
      [TEXT, 1_000_000],
    ] as const) {
      const { body, pieces } = await decodeIntoPieces([Buffer.alloc(0), ...chunksOf(encode(text), size)], name)
      assert.deepEqual(body, { kind: 'decoded', cut: false, truncated: false })
      assert.ok(Buffer.concat(pieces).equals(text), `${size}`)
      assert.ok(pieces.every((piece) => piece.length > 0 && piece.length <= 65_536))
    }
  })

  test(`a short body in ${name} is decoded as a whole, and no longer one`, async () => {
    const most = Buffer.alloc(SHORT_BYTES, TEXT)
    for (const body of [SHORT, TEXT, most]) {
      const decoded = await decodeShort(chunksOf(encode(body), 1_000), name, LIMIT)
      assert.ok(decoded?.equals(body), `${body.length}`)
    }
    for (const body of [Buffer.alloc(SHORT_BYTES + 1, TEXT), Buffer.alloc(64 * 1024 * 1024)])
      assert.equal(await decodeShort([encode(body)], name, LIMIT), undefined)
    assert.equal(await decodeShort([encode(TEXT)], name, TEXT.length - 1), undefined, 'longer than the limit')
    assert.equal(await decodeShort([encode(TEXT).subarray(0, -20)], name, LIMIT), undefined, 'truncated')
    assert.equal(await decodeShort([SHORT], name, LIMIT), undefined, 'broken')
  })

  test(`${name} is decoded only as far as the consumer reads`, async () => {
    const bomb = encode(Buffer.alloc(64 * 1024 * 1024))
    let bytes = 0
    const consume = (piece: Buffer) => {
      bytes += piece.length
      return bytes < 100_000
    }
    const before = process.memoryUsage().arrayBuffers
    const bodies = await Promise.all(
      Array.from({ length: 12 }, () => {
        bytes = 0
        return decodeBody([bomb], name, { limitBytes: LIMIT, consume, slice: work.begin('/a/') })
      }),
    )
    assert.ok(bodies.every((body) => body.kind === 'stopped'))
    // The twelve bodies share one count of bytes; each body takes at most one further piece after the count reached
    // 100,000.
    assert.ok(bytes <= 100_000 + 12 * 65_536, `${bytes}`)
    assert.ok(process.memoryUsage().arrayBuffers - before < 12 * 600_000)
  })

  test(`${name} waits for a slow consumer`, async () => {
    const bomb = encode(Buffer.alloc(4 * 1024 * 1024))
    let bytes = 0
    let isBusy = false
    const consume = async (piece: Buffer) => {
      assert.equal(isBusy, false)
      isBusy = true
      bytes += piece.length
      for (let i = 0; i < 3; i++) await work.turn('/a/')
      isBusy = false
      return true
    }
    const body = await decodeBody([bomb], name, { limitBytes: LIMIT, consume, slice: work.begin('/a/') })
    assert.equal(body.kind, 'decoded')
    assert.equal(bytes, 4 * 1024 * 1024)
  })

  test(`${name} leaves time to others between its pieces`, async () => {
    const bomb = encode(Buffer.alloc(16 * 1024 * 1024))
    let turns = 0
    let working = true
    const count = () => {
      turns += 1
      if (working) setImmediate(count)
    }
    setImmediate(count)
    let pieces = 0
    const consume = () => {
      pieces += 1
      return true
    }
    await decodeBody([bomb], name, { limitBytes: LIMIT, consume, slice: work.begin('/a/') })
    working = false
    assert.ok(pieces >= 256)
    // Each piece is a job of another thread, whose end takes a turn.
    assert.ok(turns > pieces / 4, `${turns} turns, ${pieces} pieces`)
  })
}

test('a body with several codings is decoded alike in small pieces and as a whole', async () => {
  const coded = zlib.gzipSync(ENCODERS.br(zlib.zstdCompressSync(zlib.deflateRawSync(SHORT))))
  const { body, pieces } = await decodeIntoPieces(chunksOf(coded, 7), 'deflate, zstd, br, gzip')
  assert.deepEqual(body, { kind: 'decoded', cut: false, truncated: false })
  assert.ok(Buffer.concat(pieces).equals(SHORT))
})

test('a short body may have several codings and members, and its zstd one frame', async () => {
  const coded = zlib.gzipSync(ENCODERS.br(zlib.zstdCompressSync(zlib.deflateRawSync(SHORT))))
  assert.ok((await decodeShort([coded], 'deflate, zstd, br, gzip', LIMIT))?.equals(SHORT))
  const half = SHORT.length / 2
  const halves = (encode: (bytes: Uint8Array) => Buffer) =>
    Buffer.concat([encode(SHORT.subarray(0, half)), encode(SHORT.subarray(half))])
  assert.ok((await decodeShort([halves(zlib.gzipSync)], 'gzip', LIMIT))?.equals(SHORT))
  assert.equal(await decodeShort([halves(zlib.zstdCompressSync)], 'zstd', LIMIT), undefined)
})

test('a hundred thousand empty gzip members add nothing to the decoded body', async () => {
  const members = Buffer.concat(Array.from({ length: 100_000 }, () => zlib.gzipSync('')).concat(zlib.gzipSync('a')))
  const { body, pieces } = await decodeIntoPieces([members], 'gzip')
  assert.deepEqual(body, { kind: 'decoded', cut: false, truncated: false })
  assert.equal(Buffer.concat(pieces).toString(), 'a')
})

test('zstd frames may end at the end of a piece or inside a piece', async () => {
  const frame = zlib.zstdCompressSync(TEXT.subarray(0, 1_000))
  const whole = Buffer.concat([frame, frame, frame])
  for (const size of [1, 2, frame.length - 1, frame.length, frame.length + 1, whole.length]) {
    const { body, pieces } = await decodeIntoPieces(chunksOf(whole, size), 'zstd')
    assert.deepEqual(body, { kind: 'decoded', cut: false, truncated: false })
    assert.equal(Buffer.concat(pieces).length, 3_000)
  }
})

test('a truncated body with several codings yields the bytes that arrived', async () => {
  const coded = zlib.gzipSync(zlib.gzipSync(TEXT))
  const { body, pieces } = await decodeIntoPieces([coded.subarray(0, coded.length - 20_000)], 'gzip, gzip')
  assert.deepEqual(body, { kind: 'decoded', cut: false, truncated: true })
  const decoded = Buffer.concat(pieces)
  assert.ok(decoded.length > 0 && decoded.equals(TEXT.subarray(0, decoded.length)))
})

test('the decoding rejects with the error that its consumer throws', async () => {
  const consume = () => {
    throw new Error('consume')
  }
  await assert.rejects(
    decodeBody([zlib.gzipSync(TEXT)], 'gzip', { limitBytes: LIMIT, consume, slice: work.begin('/a/') }),
    /consume/,
  )
})
