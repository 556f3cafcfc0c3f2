import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

/** A process of the bench that answers over IPC, one question at a time. */
export type BenchProcess = {
  readonly pid: number
  /** Sends an order and resolves with the next answer. Rejects when the process ends or after `timeoutMs`. */
  ask<Answer>(order: object, timeoutMs?: number): Promise<Answer>
  /** Resolves with the next answer without an order. */
  next<Answer>(timeoutMs?: number): Promise<Answer>
  stop(): Promise<void>
}

export const UNDER_TEST_CORE = 0
export const LOAD_CORE = 1

/** Returns `taskset -c CORE` if the machine has taskset and a second core. */
export function pinnedTo(core: number): readonly string[] {
  const taskset = ['/usr/bin/taskset', '/bin/taskset'].find((file) => existsSync(file))
  return taskset === undefined || availableParallelism() < 2 ? [] : [taskset, '-c', String(core)]
}

/** Runs a file of this directory with Node, on the load's core unless `wrap` says otherwise. */
export function startBenchProcess(
  file: string,
  args: readonly string[] = [],
  wrap: readonly string[] = pinnedTo(LOAD_CORE),
): BenchProcess {
  const line = [...wrap, process.execPath, join(import.meta.dirname, file), ...args]
  const [command = process.execPath, ...rest] = line
  const child = spawn(command, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))

  const next = <Answer>(timeoutMs = 30_000): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer)
        child.off('message', onMessage)
        child.off('exit', onExit)
        end()
      }
      const onMessage = (text: unknown): void => settle(() => resolve(JSON.parse(String(text))))
      const onExit = (): void => settle(() => reject(new Error(`${file} ended`)))
      const timer = setTimeout(
        () => settle(() => reject(new Error(`${file}: no answer in ${timeoutMs} ms`))),
        timeoutMs,
      )
      child.on('message', onMessage)
      child.on('exit', onExit)
    })
  let lastAnswer: Promise<unknown> = Promise.resolve()
  return {
    pid: child.pid ?? 0,
    next,
    ask: <Answer>(order: object, timeoutMs?: number) => {
      // An answer doesn't name its order: with two orders on their way both would take the first answer.
      const answer = lastAnswer.then(() => {
        child.send(JSON.stringify(order))
        return next<Answer>(timeoutMs)
      })
      lastAnswer = answer.catch(() => undefined)
      return answer
    },
    stop: async () => {
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill('SIGKILL'), 2_000)
      await exited
      clearTimeout(timer)
    },
  }
}
