/** Characters of an answer that are counted; a longer answer's count is scaled up from its beginning. */
export const SAMPLE_LENGTH = 16_384

/** The encoder's time grows with the square of a piece, so a text without spaces is cut to pieces of this many characters. */
const PIECE = /\s?[^\s]{1,16}|\s{1,16}/gu

/** The pieces that are counted of a text: cut where it costs words least. */
export function samplePieces(sample: string): readonly string[] {
  return sample.match(PIECE) ?? []
}

/** From the count of the sample to that of the text. */
export function scaledCount(sampleTokens: number, textLength: number): number {
  return textLength <= SAMPLE_LENGTH ? sampleTokens : Math.round((sampleTokens * textLength) / SAMPLE_LENGTH)
}
