export type Phases = {
  /** Runs one phase and prints its seconds; what it returns is passed on. */
  time<T>(name: string, phase: () => Promise<T> | T): Promise<T>
  /** Prints the seconds of something that was measured elsewhere. */
  done(name: string, seconds: number): void
  readonly totalSeconds: number
}

/** Prints how long each part of a start takes. */
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
