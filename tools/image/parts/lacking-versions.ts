/** Versions of symbols by which a program says how new a library must be. */
const VERSION = /\b(?:GLIBC|GLIBCXX|CXXABI|GCC)_\d[\d.]*\b/g

/**
 * The versions of symbols that a program or addon asks for and no library has, sorted: it was linked on a machine with newer
 * libraries and wouldn't load.
 */
export function lackingVersions(program: Buffer, libraries: readonly Buffer[]): readonly string[] {
  const there = new Set(libraries.flatMap(versionsIn))
  return [...new Set(versionsIn(program))].filter((version) => !there.has(version)).toSorted()
}

function versionsIn(bytes: Buffer): readonly string[] {
  return bytes.toString('latin1').match(VERSION) ?? []
}
