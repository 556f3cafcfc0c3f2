/** The printer of the durations of a start. */
export type Phases = {
  /** Runs one phase, prints its seconds and returns its result. */
  time<T>(name: string, phase: () => Promise<T> | T): Promise<T>
  /** Prints the seconds of a phase that was measured elsewhere. */
  done(name: string, seconds: number): void
  readonly totalSeconds: number
}

export function createPhases(say: (line: string) => void, now: () => number): Phases {
  const began = now()
  const done = (name: string, seconds: number) => say(`  ${name.padEnd(14)} ${seconds.toFixed(1).padStart(6)} s`)
  return {
    async time(name, phase) {
      const start = now()
      const result = await phase()
      done(name, (now() - start) / 1000)
      return result
    },
    done,
    get totalSeconds() {
      return (now() - began) / 1000
    },
  }
}
