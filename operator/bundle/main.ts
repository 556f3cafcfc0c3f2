import { buildBundle } from './build-bundle.ts'

const [out, ...more] = process.argv.slice(2)
if (out === undefined || more.length > 0) {
  console.error('usage: FILE')
  process.exitCode = 1
} else {
  const { bytes } = await buildBundle(out)
  console.log(`${out}: ${Math.round(bytes / 1024)} KiB`)
}
