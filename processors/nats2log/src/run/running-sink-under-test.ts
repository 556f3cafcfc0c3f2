import { Sink, type SinkOptions } from './sink.ts'

/** Runs a sink until `end`, or until its scope ends; resolves once the sink is initialized. */
export async function runningSink(options: Omit<SinkOptions, 'signal'>) {
  const stop = new AbortController()
  const sink = new Sink({ ...options, signal: stop.signal })
  const initialized = Promise.withResolvers<void>()
  const ended = sink.run(() => initialized.resolve())
  const end = async (): Promise<void> => {
    stop.abort()
    await ended
  }
  await initialized.promise
  return {
    end,
    [Symbol.asyncDispose]: end,
    get report() {
      return sink.report
    },
  }
}
