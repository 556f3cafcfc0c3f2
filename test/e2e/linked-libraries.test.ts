import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkedLibraries, parseLdd } from './linked-libraries.ts'

test('libraries go beside the C library and the loader stays where the program asks for it', () => {
  const output = `	linux-vdso.so.1 (0x00007ffb969c7000)
	libstdc++.so.6 => /opt/gcc/lib64/libstdc++.so.6 (0x00007ffb96600000)
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007ffb9641e000)
	/lib64/ld-linux-x86-64.so.2 (0x00007ffb969c9000)`
  assert.deepEqual(parseLdd(output), [
    { source: '/lib64/ld-linux-x86-64.so.2', path: '/lib64/ld-linux-x86-64.so.2' },
    { source: '/opt/gcc/lib64/libstdc++.so.6', path: '/lib/x86_64-linux-gnu/libstdc++.so.6' },
    { source: '/lib/x86_64-linux-gnu/libc.so.6', path: '/lib/x86_64-linux-gnu/libc.so.6' },
  ])
})

test('a library that this machine lacks is named', () => {
  assert.throws(() => parseLdd('	libatomic.so.1 => not found'), /libatomic\.so\.1 is missing/)
})

test('this Node links to a C library and a loader; a text links to nothing', async () => {
  const paths = (await linkedLibraries(process.execPath)).map(({ path }) => path)
  assert.ok(
    paths.some((path) => path.includes('/libc.so')),
    paths.join(),
  )
  assert.ok(
    paths.some((path) => path.includes('/ld-')),
    paths.join(),
  )
  assert.deepEqual(await linkedLibraries(import.meta.filename), [])
})
