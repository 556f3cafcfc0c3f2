/** The most bytes of memory of a usual head; a call needs as much anyway. */
export const USUAL_HEAD_BYTES = 16 * 1024
/** The bytes of memory of a head's name or value, beside its characters. */
export const HEAD_PART_BYTES = 160
/** The bytes of memory of a head's character, which is in several texts. */
export const HEAD_CHARACTER_BYTES = 2
