/** The most segments of a path, one more than in the longest path of a Router resource. Each may be a look-up for a call. */
const MAX_PATH_SEGMENTS = 128
/** The most characters of a path, four times as many as a Router resource may have: metrics hold it many times. */
export const MAX_PATH_CHARACTERS = 1_024

const PATH = /^\/$|^(?:\/[A-Za-z0-9_\-.~]+)+\/$/

/**
 * Returns true for letters, digits and `_ - . ~` between slashes, without a dot segment. `/` takes the calls that no
 * other router takes.
 */
export function isRouterPath(text: string): boolean {
  return PATH.test(text) && !/\/\.\.?\//.test(text)
}

/** Returns the first MAX_PATH_SEGMENTS segments of a path, all of it where it has no more. */
export function acceptablePath(path: string): string {
  let end = 0
  for (let segments = 0; segments < MAX_PATH_SEGMENTS; segments += 1) {
    end = path.indexOf('/', end + 1)
    if (end === -1) return path
  }
  return path.slice(0, end + 1)
}
