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
  notFound: { title: 'There is no such page', todo: 'The page may have moved. Start at' },

  login: {
    title: 'Log in',
    secret: 'Password',
    secretHint: {
      standalone: 'The value of GUI_SECRET. After make run it is in the file .run/env.',
      kubernetes:
        'The value of GUI_SECRET. It is in the Secret of the web interface. For a gateway main in the namespace llm:',
    },
    secretCommand: "kubectl -n llm get secret main-web -o jsonpath='{.data.GUI_SECRET}' | base64 -d",
    name: 'Your name (optional)',
    nameHint: {
      standalone: 'Stored with the versions that you deploy. The name is not verified.',
      kubernetes: 'Shown only to you. The name is not verified.',
    },
    submit: 'Log in',
    locked: 'Too many wrong passwords. Wait a moment, then try again.',
    ended: 'Your session has ended. Log in again. Your edits are kept.',
    about: 'See, understand and change the gateway.',
    unsetTitle: 'Nobody can log in: GUI_SECRET is not set',
    unset: {
      standalone: {
        why: 'The web interface was started without a password and made a random one that nobody can read.',
        todo: 'Set the variable GUI_SECRET in the environment of the gateway, then restart it. For example:',
        command: "GUI_SECRET='a long password' make run",
      },
      kubernetes: {
        why: 'The Secret of the web interface has no password, so the web interface made a random one that nobody can read.',
        todo: 'Put a password into the Secret, then delete the pod of the web interface. For a gateway main in the namespace llm:',
        command:
          "kubectl -n llm create secret generic main-web --from-literal=GUI_SECRET='a long password' --dry-run=client -o yaml | kubectl apply -f -",
      },
    },
  },
} as const
