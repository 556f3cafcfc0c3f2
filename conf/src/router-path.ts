const PATH = /^\/$|^(?:\/[A-Za-z0-9_\-.~]+)+\/$/

/** Letters, digits and `_ - . ~` between slashes, no dot segment; `/` alone takes what nobody else does (wire, 1.1). */
export function isRouterPath(text: string): boolean {
  return PATH.test(text) && !/\/\.\.?\//.test(text)
}
