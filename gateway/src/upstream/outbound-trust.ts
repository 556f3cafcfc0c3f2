import { constants } from 'node:crypto'
import { createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls'

/**
 * Returns the TLS context of all connections: node would read the authorities again for each, 6 ms and 1 MiB with the
 * system's pool. Diffie-Hellman over integers is left out, since the server chooses the size of the numbers: a handshake
 * with 10,000 bits takes 850 ms of the main thread. A server may not begin a second handshake, which would be read
 * without taking turns (outbound-handshakes.ts).
 */
export function trustOf(ca: readonly string[]): SecureContext {
  // Node refuses an exclusion alone, where its own flag lists the ciphers of TLS 1.3 only.
  const hasOlder = DEFAULT_CIPHERS.split(':').some((name) => !name.startsWith('TLS_'))
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION
  return createSecureContext({
    ca: [...ca],
    secureOptions,
    ...(hasOlder ? { ciphers: `${DEFAULT_CIPHERS}:!DHE` } : {}),
  })
}
