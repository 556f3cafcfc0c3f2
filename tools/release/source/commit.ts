import { runProgram } from '../run-program.ts'

export type Commit = {
  readonly hash: string
  /** The commit's time in seconds since 1970; all files of a release get it. */
  readonly epoch: number
  /** The number of files of the checkout that differ from the commit; a release ignores the changes. */
  readonly changed: number
}

/** Reads the checked-out commit. */
export async function readCommit(root: string, environment: NodeJS.ProcessEnv): Promise<Commit> {
  const git = (...args: readonly string[]) => runProgram(['git', ...args], { cwd: root, environment })
  const [hash = '', time] = (await git('log', '-1', '--format=%H %ct')).trim().split(' ')
  const changed = (await git('status', '--porcelain')).split('\n').filter(Boolean).length
  return { hash, epoch: Number(time), changed }
}
