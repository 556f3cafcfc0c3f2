/** Where the API server is and how to get in. */
export type KubeAccess = {
  readonly server: string
  /** For the TLS connection; PEM texts. */
  readonly tls: KubeTls
  /** The Authorization header as it is now: tokens of service accounts are replaced while we run. */
  authorization(): Promise<string | undefined>
  /** The API server didn't know who we are: what is kept of the token is out of date. */
  refused(): void
}

export type KubeTls = {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly servername?: string | undefined
  readonly rejectUnauthorized?: boolean | undefined
}
