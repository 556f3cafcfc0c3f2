import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureReason, missingPrograms } from './failure-reason.ts'

const OUTPUTS: readonly (readonly [output: string, reason: string])[] = [
  ['gyp ERR! stack Error: not found: make', 'make is missing'],
  ['gyp ERR! find Python Could not find any Python installation to use', 'python3 is missing'],
  ['/bin/sh: 1: g++: not found\nmake: *** [addon.o] Error 127', 'a C++ compiler is missing'],
  ["g++: error: unrecognized command line option '-std=c++2a'", 'the C++ compiler is too old: C++20 is needed'],
  ['gyp ERR! stack FetchError: getaddrinfo ENOTFOUND nodejs.org', "Node's headers can't be fetched"],
  ['g++: fatal error: Killed signal terminated program cc1plus', 'the memory is too small'],
  ['gyp info ok with error\n  lib/addon.cc:3:1: error: no such type  \nmore', 'lib/addon.cc:3:1: error: no such type'],
  ['', 'the build failed'],
]

for (const [output, reason] of OUTPUTS) {
  test(`a failed build says: ${reason}`, () => assert.equal(failureReason(output), reason))
}

const MACHINES = [
  { programs: ['make', 'python3', 'g++'], compiler: '', missing: [] },
  { programs: ['gmake', 'python', 'clang++'], compiler: '', missing: [] },
  { programs: ['make', 'python3', 'g++'], compiler: 'icpx -O1', missing: ['a C++ compiler'] },
  { programs: ['icpx', 'make', 'python3'], compiler: 'icpx -O1', missing: [] },
  { programs: [], compiler: '', missing: ['make', 'python3', 'a C++ compiler'] },
]

for (const { programs, compiler, missing } of MACHINES) {
  test(`with ${programs.join(', ') || 'nothing'}${compiler && ` and CXX=${compiler}`} a build lacks ${missing.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(
      missingPrograms((name) => programs.some((program) => program === name), compiler),
      missing,
    )
  })
}
