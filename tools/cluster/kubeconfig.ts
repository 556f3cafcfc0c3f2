import { readFileSync, writeFileSync } from 'node:fs'
import type { KeyPair } from './certificates.ts'

export type Credentials = { readonly token: string } | KeyPair

/** Writes a kubeconfig without references to other files, as JSON, which is valid YAML. */
export function writeKubeconfig(
  file: string,
  { url, authority, credentials }: { url: string; authority: string; credentials: Credentials },
): string {
  const user =
    'token' in credentials
      ? { token: credentials.token }
      : { 'client-certificate-data': base64(credentials.certificate), 'client-key-data': base64(credentials.key) }
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': base64(authority) } }],
    users: [{ name: 'test', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  }
  writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 })
  return file
}

function base64(file: string): string {
  return readFileSync(file).toString('base64')
}
