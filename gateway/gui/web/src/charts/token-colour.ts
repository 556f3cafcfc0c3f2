/** Resolves a token of the style sheet in the current theme, since a canvas can't use CSS variables. */
export function tokenColour(token: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${token})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
