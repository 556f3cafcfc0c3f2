const UNATTENDED_MS = 60_000
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

let lastSign = performance.now()

/** Notes whenever somebody touches the page. */
export function watchAttention(): void {
  for (const sign of SIGNS)
    addEventListener(sign, () => {
      lastSign = performance.now()
    })
}

/** Nobody has touched the page for a minute: what it asks for then must not keep the session alive. */
export function isUnattended(): boolean {
  return performance.now() - lastSign > UNATTENDED_MS
}
