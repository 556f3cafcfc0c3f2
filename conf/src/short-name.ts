/**
 * The most characters of a reported name or path; a file may have keys of megabytes. A line with 50 of them has less than
 * 64 KiB, a pipe's buffer, even if it escapes each character.
 */
const MAX_CHARACTERS = 200

/** Cuts a name, or a path of names, that logs, statuses and answers report. */
export function shortName(name: string): string {
  return name.length > MAX_CHARACTERS ? `${name.slice(0, MAX_CHARACTERS - 1)}…` : name
}
