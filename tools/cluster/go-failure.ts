/** What a failed `go build` says, by what a person has to get or do; first match wins. */
const CAUSES: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/spawn (nice|go) ENOENT|\bgo\b\W*: No such file|go: (command )?not found/i, 'go is missing'],
  [/requires go >= ([\d.]+)/, 'the Go on this machine is too old: $1 is needed'],
  [/ENOSPC|no space left on device/i, 'the disk is full'],
  [/signal: killed|cannot allocate memory|out of memory/i, 'the memory is too small'],
  [
    /no such host|connection refused|network is unreachable|i\/o timeout|TLS handshake timeout|module lookup disabled|server misbehaving/i,
    "the Go modules can't be fetched",
  ],
]

/** Why a build failed, in one line. */
export function goFailure(output: string): string {
  for (const [pattern, reason] of CAUSES) {
    const match = pattern.exec(output)
    if (match !== null) return reason.replace('$1', match[1] ?? '')
  }
  const line = output.split('\n').findLast((text) => text.trim() !== '')
  return (line ?? 'the build failed').trim().slice(0, 200)
}
