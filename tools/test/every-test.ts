/** The files of `make test`, as globs from the checkout's root. */
export const EVERY_TEST: readonly string[] = [
  'conf/src/**/*.test.ts',
  'crds/src/**/*.test.ts',
  'processors/*/src/**/*.test.ts',
  'gateway/src/**/*.test.ts',
  'gateway/ginit/src/**/*.test.ts',
  'gateway/gui/{api,server,web}/src/**/*.test.ts',
  'operator/{src,bundle,kube/src}/**/*.test.ts',
  'charts/**/*.test.ts',
  'deploy/**/*.test.ts',
  'docs/{,generate/}*.test.ts',
  'tools/**/*.test.ts',
  'test/*.test.ts',
  'test/!(node_modules)/**/*.test.ts',
]
