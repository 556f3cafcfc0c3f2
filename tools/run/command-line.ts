export type RunPrograms = {
  /** Starts everything and waits until it has ended; returns the exit code. */
  run(): Promise<number>
  /** Ends the run that another process started in this folder; returns the exit code. */
  stop(): Promise<number>
  say(line: string): void
  /** Says a fault on the error output. */
  complain(line: string): void
}

const USAGE = `node tools/run/main.ts [stop]
  without an argument  starts the gateway, its bus, processors, sinks and web interface (make run)
  stop                 stops the run of RUN_DIR from another terminal (make stop)
  --help               prints this help
RUN_DIR: the folder of configuration, logs and secrets; default .run`
const ASKS_FOR_HELP: ReadonlySet<string> = new Set(['help', '--help', '-h'])

/** Runs a command line; returns the exit code. An unknown argument starts and ends nothing and returns 2. */
export async function runCommandLine(argv: readonly string[], programs: RunPrograms): Promise<number> {
  if (argv.some((word) => ASKS_FOR_HELP.has(word))) {
    programs.say(USAGE)
    return 0
  }
  const [first, ...more] = argv
  const unknown = first === 'stop' ? more[0] : first
  if (unknown !== undefined) {
    programs.complain(`run: the argument ${JSON.stringify(unknown)} is unknown\n${USAGE}`)
    return 2
  }
  return first === 'stop' ? programs.stop() : programs.run()
}
