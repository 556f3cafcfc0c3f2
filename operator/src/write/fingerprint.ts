import { createHash } from 'node:crypto'
import { isObject } from '@llm-gateway/kube'
import type { KubeObject } from '../model/kube-object.ts'
import type { Steps } from '../translate/steps.ts'
import { textPieces } from '../translate/text-pieces.ts'

/** The characters that are written and hashed in one step. */
const PIECE_CHARACTERS = 128 * 1024

/** Returns the SHA-256 of an object's JSON, hex. A configuration may have 16 MiB of text. */
export function* fingerprint(object: KubeObject): Steps<string> {
  const hash = createHash('sha256')
  for (const piece of jsonPieces(object)) {
    hash.update(piece)
    if (piece.length >= PIECE_CHARACTERS) yield
  }
  return hash.digest('hex')
}

/** Gives the text of JSON.stringify in pieces. */
function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.length > PIECE_CHARACTERS) {
    yield '"'
    // Half of a surrogate pair would become an escape of its own.
    for (const piece of textPieces(value, PIECE_CHARACTERS)) yield JSON.stringify(piece).slice(1, -1)
    yield '"'
  } else if (isObject(value)) {
    yield '{'
    const members = Object.entries(value).filter(([, member]) => member !== undefined)
    for (const [at, [name, member]] of members.entries()) {
      yield `${at === 0 ? '' : ','}${JSON.stringify(name)}:`
      yield* jsonPieces(member)
    }
    yield '}'
  } else yield JSON.stringify(value)
}
