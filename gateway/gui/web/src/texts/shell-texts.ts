/** Texts of the frame of all pages and of the login page. */
export const shellTexts = {
  nav: {
    label: 'Pages',
    menu: 'Menu',
    overview: 'Overview',
    routers: 'Routers',
    processors: 'Processors',
    gateway: 'Gateway',
    transactions: 'Transactions',
    try: 'Try it',
    changes: 'Changes',
    settings: 'Files',
    logOut: 'Log out',
    logOutName: (name: string) => `Log out (${name})`,
  },
  theme: { label: 'Colours', system: 'System colours', light: 'Light', dark: 'Dark' },
  notFound: { title: 'There is no such page', todo: 'It may have been moved. Begin at' },

  login: {
    title: 'Log in',
    secret: 'Password',
    secretHint: {
      standalone: 'The value of GUI_SECRET. After make run it stands in the file .run/env.',
      kubernetes:
        'The value of GUI_SECRET. It stands in the Secret of the web interface, here of a gateway main in the namespace llm:',
    },
    secretCommand: "kubectl -n llm get secret main-web -o jsonpath='{.data.GUI_SECRET}' | base64 -d",
    name: 'Your name (optional)',
    nameHint: {
      standalone: 'Kept beside the versions that you deploy. Nobody checks it.',
      kubernetes: 'Shown to you alone. Nobody checks it.',
    },
    submit: 'Log in',
    locked: 'Too many wrong passwords. Wait a little, then try again.',
    ended: 'Your session has ended. Log in again: what you were editing is kept.',
    about: 'See, understand and change the gateway.',
    unsetTitle: 'Nobody can log in: GUI_SECRET is not set',
    unset: {
      standalone: {
        why: 'The gateway was started without a password, so it made a random one that nobody can read.',
        todo: 'Set the variable GUI_SECRET where the gateway is started, then start it again. For example:',
        command: "GUI_SECRET='a long password' make run",
      },
      kubernetes: {
        why: 'The Secret of the web interface holds no password, so it made a random one that nobody can read.',
        todo: 'Put one in, here for a gateway main in the namespace llm, then delete the pod of the web interface:',
        command:
          "kubectl -n llm create secret generic main-web --from-literal=GUI_SECRET='a long password' --dry-run=client -o yaml | kubectl apply -f -",
      },
    },
  },
} as const
