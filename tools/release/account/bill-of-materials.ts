import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReleaseBuild } from '../artefact.ts'
import type { Material } from './licences.ts'

/**
 * Writes `llm-gateway-<version>.cdx.json`, a CycloneDX document of all foreign parts; its serial number is a hash of
 * the rest.
 */
export function writeBill({ out, version, epoch, names }: ReleaseBuild, materials: readonly Material[]): void {
  const components = materials.map(({ name, version, purl, licences, hash, sum, place }) => ({
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: licences.map((licence) =>
      licence.includes(' ') ? { expression: licence } : { license: { id: licence } },
    ),
    ...(hash === undefined ? {} : { hashes: [hash] }),
    properties: [
      { name: 'llm-gateway:place', value: place },
      ...(sum === undefined ? [] : [{ name: 'llm-gateway:go-sum', value: sum }]),
    ],
  }))
  const self = `pkg:oci/${names.image}@${version}?repository_url=${encodeURIComponent(`${names.registry}/${names.image}`)}`
  const described = {
    metadata: {
      timestamp: new Date(epoch * 1_000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': self,
        name: names.image,
        version,
        purl: self,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components,
    dependencies: [{ ref: self, dependsOn: components.map(({ purl }) => purl) }],
  }
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(described))}`,
    version: 1,
    ...described,
  }
  writeFileSync(join(out, `llm-gateway-${version}.cdx.json`), `${JSON.stringify(bill, undefined, 1)}\n`)
}

/** Returns a UUID of version 8 made of the text's hash. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)]
  return parts.join('-')
}
