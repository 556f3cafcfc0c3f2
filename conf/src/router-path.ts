const PATH = /^\/$|^(?:\/[A-Za-z0-9_\-.~]+)+\/$/

/** Letters, digits and `_ - . ~` between slashes, no dot segment. `/` takes the calls that no other router takes. */
export function isRouterPath(text: string): boolean {
  return PATH.test(text) && !/\/\.\.?\//.test(text)
}
