const UNATTENDED_MS = 60_000
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

let lastSign = performance.now()

/** Remembers the time of the last sign that somebody touched the page. */
export function trackActivity(): void {
  for (const sign of SIGNS)
    addEventListener(sign, () => {
      lastSign = performance.now()
    })
}

/** Returns whether nobody has touched the page for a minute: its requests must then not keep the session alive. */
export function isUnattended(): boolean {
  return performance.now() - lastSign > UNATTENDED_MS
}
