/** Versions that npm, helm, Python and Azure all accept: three numbers and an optional pre-release of three kinds. */
const VERSION = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})(-(alpha|beta|rc)\.(0|[1-9]\d{0,5}))?$/

/** Returns whether a text is a version that every file of a release accepts. */
export function isVersion(text: string): boolean {
  return VERSION.test(text)
}
