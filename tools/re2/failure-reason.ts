/** Messages of a failed node-gyp build, with the cause that a person can remove; the first match wins. */
const CAUSES: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/not found: make|make: (command )?not found/i, 'make is missing'],
  [/Could not find any Python|python3?: (command )?not found/i, 'python3 is missing'],
  [/(g\+\+|c\+\+|clang\+\+): (command )?not found|(g\+\+|c\+\+|clang\+\+): No such file/i, 'a C++ compiler is missing'],
  [
    /unrecognized command.line option .*std=|invalid value .* in '-std=/i,
    'the C++ compiler is too old: C++20 is needed',
  ],
  [/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/, "Node's headers can't be fetched"],
  [/ENOSPC|No space left on device/, 'the disk is full'],
  [/Killed signal terminated program|cannot allocate memory|out of memory/i, 'the memory is too small'],
]

/** Returns the reason of a failed build in one line. */
export function failureReason(output: string): string {
  const known = CAUSES.find(([pattern]) => pattern.test(output))?.[1]
  if (known !== undefined) return known
  const line = output.split('\n').find((text) => /\berror\b/i.test(text) && !/^gyp (info|verb)/.test(text))
  return (line ?? 'the build failed').trim().slice(0, 200)
}

/** Returns the programs that a build needs and the search path lacks; `has` returns whether a program exists. */
export function missingPrograms(has: (name: string) => boolean, compiler: string): readonly string[] {
  const compilers = compiler === '' ? ['g++', 'c++', 'clang++'] : [compiler.split(' ')[0] ?? compiler]
  return [
    ...(has('make') || has('gmake') ? [] : ['make']),
    ...(has('python3') || has('python') ? [] : ['python3']),
    ...(compilers.some(has) ? [] : ['a C++ compiler']),
  ]
}
