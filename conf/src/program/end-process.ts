/**
 * Ends the process although one of its threads waits for a file: `process.exit` would wait for that thread. The first
 * process of a container can't kill itself, but it can become another program, which ends with the exit code.
 */
export function endProcess(exitCode: number): void {
  if (process.platform !== 'win32' && process.execve !== undefined)
    process.execve(process.execPath, [process.execPath, '--eval', `process.exit(${exitCode})`], {})
  process.kill(process.pid, 'SIGKILL')
}
