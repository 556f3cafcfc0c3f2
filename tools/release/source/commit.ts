import { runProgram } from '../run-program.ts'

export type Commit = {
  readonly hash: string
  /** Seconds since 1970 at which it was committed; everything in a release is dated so. */
  readonly epoch: number
  /** Files of the checkout that differ from the commit; a release has none of these changes. */
  readonly changed: number
}

/** The checked-out commit. */
export async function readCommit(root: string, environment: NodeJS.ProcessEnv): Promise<Commit> {
  const git = (...args: readonly string[]) => runProgram(['git', ...args], { cwd: root, environment })
  const [hash = '', time] = (await git('log', '-1', '--format=%H %ct')).trim().split(' ')
  const changed = (await git('status', '--porcelain')).split('\n').filter(Boolean).length
  return { hash, epoch: Number(time), changed }
}
