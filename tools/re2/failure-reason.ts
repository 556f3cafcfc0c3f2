/** What a failed build of node-gyp says, by what a person has to get; first match wins. */
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

/** Why a build failed, in one line. */
export function failureReason(output: string): string {
  const known = CAUSES.find(([pattern]) => pattern.test(output))?.[1]
  if (known !== undefined) return known
  const line = output.split('\n').find((text) => /\berror\b/i.test(text) && !/^gyp (info|verb)/.test(text))
  return (line ?? 'the build failed').trim().slice(0, 200)
}

/** What a build needs and this search path lacks; `has` tells whether a program is there. */
export function missingPrograms(has: (name: string) => boolean, compiler: string): readonly string[] {
  const compilers = compiler === '' ? ['g++', 'c++', 'clang++'] : [compiler.split(' ')[0] ?? compiler]
  return [
    ...(has('make') || has('gmake') ? [] : ['make']),
    ...(has('python3') || has('python') ? [] : ['python3']),
    ...(compilers.some(has) ? [] : ['a C++ compiler']),
  ]
}
