/** Of the page Files. */
export const settingsTexts = {
  settings: {
    about: {
      'gl_config.json': 'The gateway: routers, processors, sessions, masked headers, TLS, limits.',
      'gui_config.json': 'This web interface.',
      'nats-server.conf': 'The bus.',
      'nats2log_config.json': 'The sink that writes records to a log store.',
      'nats2file_config.json': 'The sink that writes records to files.',
      'tokencounter_config.json': 'The token counter: caps by router.',
      'ginit_config.json': 'The supervisor: which services are started.',
    },
    form: 'Form',
    text: 'Text',
    general: 'General',
    onePerLine: (what: string | undefined) => (what === undefined ? 'One per line.' : `One per line: ${what}`),
    unset: 'not set',
    preset: (value: string) => `default: ${value}`,
    options: { true: 'on', false: 'off' } as Readonly<Record<string, string>>,
    entry: (number: number) => `Entry ${number}`,
    add: (name: string) => `Add to ${name}`,
    remove: (name: string) => `Delete ${name}`,
    asText: (name: string, count: number) =>
      count === 0 ? `${name} is edited as text.` : `${name}: ${count}, edited as text.`,
    readOnly: (paths: readonly string[]) => `Can only be changed on the machine itself: ${paths.join(', ')}`,
  },
} as const
