import assert from 'node:assert/strict'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { decodeAtOnce, decodeShort, SHORT_BYTES } from './decode-body.ts'
import { narrowDecodedBytes, narrowWindow } from './narrow-window.ts'

const LIMIT = 2 * 1024 * 1024
const NARROW_DECODED_BYTES = narrowDecodedBytes(18)
const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = zlib.constants
const WINDOW_BITS = [10, 16, 17, 18, 19, 22, 24]

function encode(body: Buffer, windowBits: number, quality: number): Buffer {
  return zlib.brotliCompressSync(body, {
    params: { [BROTLI_PARAM_LGWIN]: windowBits, [BROTLI_PARAM_QUALITY]: quality },
  })
}

/** Returns JSON text with words of brotli's own dictionary, of `bytes` bytes, that repeats from its start to its end. */
function text(bytes: number): Buffer {
  const words = 'the time and information about people government development {"id":"chatcmpl","choices":[]} '
  let made = ''
  for (let i = 0; made.length < bytes; i += 1) made += words.slice(i % 40, ((i * 7) % 80) + 10) + i
  return Buffer.from(made.slice(0, bytes - 40) + made.slice(0, 40)).subarray(0, bytes)
}

for (const quality of [1, 5, 9]) {
  test(`brotli of quality ${quality} decodes at once to its body, whatever window it declares`, () => {
    for (const bytes of [0, 1, 100, 65_536, NARROW_DECODED_BYTES - 1, NARROW_DECODED_BYTES]) {
      const body = text(bytes)
      for (const windowBits of WINDOW_BITS) {
        const coded = encode(body, windowBits, quality)
        const decoded = decodeAtOnce([coded], 'br', LIMIT)
        // Larger coded bodies are left to the streaming decoder.
        assert.ok(coded.length > 16 * 1024 || decoded?.equals(body), `${bytes} bytes, window of ${windowBits} bits`)
      }
    }
  })
}

test('brotli decodes to its body as a short one, whatever window it declares', async () => {
  for (const bytes of [1, 300_000, SHORT_BYTES]) {
    const body = text(bytes)
    for (const windowBits of WINDOW_BITS) {
      const decoded = await decodeShort([encode(body, windowBits, 5)], 'br', LIMIT)
      assert.ok(decoded?.equals(body), `${bytes} bytes, window of ${windowBits} bits`)
    }
  }
  assert.equal(await decodeShort([encode(text(SHORT_BYTES + 1), 24, 5)], 'br', LIMIT), undefined)
})

test('a body that a narrow window would change is left to the streaming decoder', () => {
  const coded = encode(Buffer.alloc(NARROW_DECODED_BYTES + 1, 'x'), 24, 5)
  assert.equal(decodeAtOnce([coded], 'br', LIMIT), undefined)
})

// RFC 7932, 9.1: the bits 0011 declare 18 bits, and 0111 declare 20.
for (const [most, declared] of [
  [18, 0b0011],
  [20, 0b0111],
] as const) {
  test(`a larger window is declared as one of 2^${most} bytes, and nothing else changes`, () => {
    for (const windowBits of [19, 20, 21, 22, 23, 24].filter((bits) => bits > most)) {
      const coded = encode(text(100), windowBits, 5)
      const narrowed = narrowWindow(coded, most)
      assert.deepEqual(narrowed.subarray(1), coded.subarray(1))
      assert.equal((narrowed[0] ?? 0) & 0x0f, declared)
      assert.equal((narrowed[0] ?? 0) >> 4, (coded[0] ?? 0) >> 4)
    }
  })

  test(`windows of 2^${most} bytes and less, and an empty body, stay as they are`, () => {
    for (const windowBits of [10, 16, 17, 18, 19, 20].filter((bits) => bits <= most)) {
      const coded = encode(text(100), windowBits, 5)
      assert.deepEqual(narrowWindow(coded, most), coded)
    }
    assert.equal(narrowWindow(Buffer.alloc(0), most).length, 0)
  })
}
