/** What to do about a bus that isn't reachable, by the code; undefined where there is nothing to add. */
export function busHint(fields: object): string | undefined {
  if (!('code' in fields) || fields.code !== 'AUTHORIZATION_VIOLATION') return undefined
  return 'the bus has another token: set NATS_TOKEN here to the one that `make run` was started with'
}
