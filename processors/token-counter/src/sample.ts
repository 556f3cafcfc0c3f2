/** Characters of an answer that are counted; a longer answer's count is extrapolated from its beginning. */
export const SAMPLE_LENGTH = 16_384

/**
 * The encoder's time grows with the square of a piece, so text without spaces is cut into pieces of this many
 * characters.
 */
const PIECE = /\s?[^\s]{1,16}|\s{1,16}/gu

/** Cuts a text into pieces for the encoder, between words where possible. */
export function samplePieces(sample: string): readonly string[] {
  return sample.match(PIECE) ?? []
}

/** Extrapolates the sample's count to the whole text. */
export function scaledCount(sampleTokens: number, textLength: number): number {
  return textLength <= SAMPLE_LENGTH ? sampleTokens : Math.round((sampleTokens * textLength) / SAMPLE_LENGTH)
}
