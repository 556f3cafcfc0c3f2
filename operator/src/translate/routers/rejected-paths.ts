import type { ObservedPod } from '../../model/snapshot.ts'

const INDEX = /^gl_config\.Routers\[(\d+)\]/

/** What a pod rejects of the file that it was given; `paths` are the file's routers in their order. */
export function rejectedPaths(
  { report }: ObservedPod,
  { digest, paths }: { readonly digest: string; readonly paths: readonly string[] },
): ReadonlySet<string> {
  // Of another file we don't know which router has which number.
  if (report.kind !== 'reported' || report.digest !== digest) return new Set()
  const named = (report.rejectedFields ?? []).map((field) => paths[Number(INDEX.exec(field)?.[1])])
  const { entries } = report
  const missing = entries === undefined ? [] : paths.filter((path) => !entries.has(path))
  return new Set([...named.filter((path) => path !== undefined), ...missing])
}
