const MAX_CHARACTERS = 40

/** Makes names of texts: `/service/standard/` → `service-standard`. A taken name gets a number. */
export function createNames(): (text: string) => string {
  const taken = new Set<string>()
  return (text) => {
    const base = labelOf(text)
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? base : `${base.slice(0, MAX_CHARACTERS - String(number).length - 1)}-${number}`
      if (taken.has(name)) continue
      taken.add(name)
      return name
    }
  }
}

function labelOf(text: string): string {
  const label = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  const named = /^[a-z]/.test(label) ? label : `r-${label}`
  return named.slice(0, MAX_CHARACTERS).replace(/-+$/, '')
}
