import type { SinkConfig } from '@llm-gateway/conf'

type Credentials = Pick<NonNullable<SinkConfig['elastic_writer']>, 'api_key' | 'username' | 'password'>

/** Returns the value of Authorization: an API key, else user and password; undefined when neither is set. */
export function elasticAuthorization({ api_key, username, password }: Credentials): string | undefined {
  if (api_key !== '') return `ApiKey ${api_key}`
  if (username === '') return undefined
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
