import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { unpackDebianPackages } from '../cluster/debian-packages.ts'
import { waitForUnpackLock } from '../cluster/unpack-lock.ts'
import type { Checkout } from '../setup/get-packages.ts'

export type PrometheusPrograms = { readonly prometheus: string; readonly promtool: string }
export type PrometheusOutcome =
  | { readonly kind: 'ready'; readonly programs: PrometheusPrograms }
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Leaves Debian's Prometheus and promtool in `.tools/prometheus`, unpacked and not installed; needs no network once done. */
export async function ensurePrometheus(checkout: Omit<Checkout, 'say'>): Promise<PrometheusOutcome> {
  const folder = join(checkout.root, '.tools/prometheus')
  const lock = await waitForUnpackLock(folder)
  try {
    const there = located(folder)
    if (there !== undefined) return { kind: 'ready', programs: there }
    const failed = await unpackDebianPackages({
      packages: ['prometheus'],
      folder,
      environment: checkout.environment,
    })
    const programs = located(folder)
    if (programs !== undefined) return { kind: 'ready', programs }
    return { kind: 'unavailable', reason: failed ?? 'the package prometheus has no prometheus and promtool' }
  } finally {
    lock.release()
  }
}

function located(folder: string): PrometheusPrograms | undefined {
  const programs = { prometheus: join(folder, 'usr/bin/prometheus'), promtool: join(folder, 'usr/bin/promtool') }
  return existsSync(programs.prometheus) && existsSync(programs.promtool) ? programs : undefined
}
