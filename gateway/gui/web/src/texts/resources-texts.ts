import { count } from '../formats.ts'

type Kind = 'LLMGateway' | 'Router' | 'Processor'
type Sentences = Readonly<Record<string, Readonly<Record<'True' | 'False' | 'Unknown', string>>>>

const SENTENCES: Readonly<Record<Kind, Sentences>> = {
  LLMGateway: {
    Accepted: {
      True: 'The operator looks after this gateway.',
      False: 'The operator does not take this gateway.',
      Unknown: 'The operator has not decided on this gateway.',
    },
    ResolvedRefs: {
      True: 'Every Secret and ConfigMap that it names was found.',
      False: 'Something that it names was not found.',
      Unknown: 'What it names could not be read.',
    },
    Programmed: {
      True: 'Every ready pod runs the newest file.',
      False: 'Not every pod runs the newest file.',
      Unknown: 'The pods could not be asked what they run.',
    },
    RecordsDurable: {
      True: 'Records are kept until they are delivered.',
      False: 'Records can be lost.',
      Unknown: 'The bus could not be asked about records.',
    },
    Ready: {
      True: 'The gateway serves calls.',
      False: 'The gateway does not serve calls as it should.',
      Unknown: 'It is not known whether the gateway serves calls.',
    },
  },
  Router: {
    Accepted: {
      True: 'The gateway takes this Router and its path.',
      False: 'The gateway does not take this Router.',
      Unknown: 'It is not decided whether the gateway takes this Router.',
    },
    ResolvedRefs: {
      True: 'Every variable has a value, and the address is valid.',
      False: 'A variable or the address does not work.',
      Unknown: 'The variables are not looked at yet.',
    },
    Programmed: {
      True: 'Every ready pod uses this Router as it is written.',
      False: 'The pods do not use this Router as it is written.',
      Unknown: 'The pods could not be asked whether they use it.',
    },
    Ready: {
      True: 'Callers can use this Router.',
      False: 'Callers cannot use this Router as it is written.',
      Unknown: 'It is not known whether callers can use this Router.',
    },
  },
  Processor: {
    Accepted: {
      True: 'The gateway takes this Processor.',
      False: 'The gateway does not take this Processor.',
      Unknown: 'It is not decided whether the gateway takes this Processor.',
    },
    ResolvedRefs: {
      True: 'Everything that it names was found.',
      False: 'Something that it names was not found.',
      Unknown: 'What it names could not be read.',
    },
    Programmed: {
      True: 'The gateway’s pods call it.',
      False: 'The gateway’s pods do not call it as it is written.',
      Unknown: 'The pods could not be asked whether they call it.',
    },
    Ready: {
      True: 'Its pods run and listen on the bus.',
      False: 'Its pods do not run as they should.',
      Unknown: 'Its pods were not looked at yet.',
    },
  },
}

/** Texts of lists of custom resources and of their status. */
export const resourcesTexts = {
  resources: {
    titles: { LLMGateway: 'Gateway', Router: 'Routers', Processor: 'Processors' },
    count: (resources: number) => count(resources),
    add: { Router: 'Add router', Processor: 'Add processor' },
    addFirst: { Router: 'Make your first Router', Processor: 'Make your first Processor' },
    search: 'Search by name, namespace or path',
    readyFilter: 'Which',
    readyFilters: { any: 'All', True: 'Ready', False: 'Not ready', Unknown: 'Not known' },
    noneFound: 'None fits.',
    more: 'Show more',
    shown: (shown: number, total: number) => `${count(shown)} of ${count(total)}`,
    about: (what: string, managers: readonly string[]) =>
      managers.length === 0 ? what : `${what} · written by ${managers.join(', ')}`,
    ready: 'ready',
    notLooked: 'not looked at yet',
    changedHere: 'changed here',
    draft: 'draft',
    onlyHere: 'Only in this browser',
    unreadable: (kind: string, namespace: string) =>
      `Resources of the kind ${kind} in the namespace ${namespace} cannot be shown`,
    empty: {
      Router: {
        title: 'No Router leads to an LLM API yet',
        text: 'A Router is a path of the gateway, the address that it forwards to, and the Secret with the key that it puts in.',
      },
      Processor: {
        title: 'No Processor yet',
        text: 'A Processor is a program on the bus that reads a call, adds to its record, changes it, or answers it.',
      },
    },
  },
  resource: {
    in: (kind: string, namespace: string) => `${kind} in ${namespace}`,
    status: 'Status',
    noConditions: 'The operator has not looked at it yet. Is it running?',
    facts: 'About it',
    factNames: {
      url: 'Address in the cluster',
      path: 'Path',
      type: 'Type',
      managers: 'Written by',
      created: 'Made',
    },
    use: 'How callers use it',
    events: 'Events',
    noEvents: 'None in the last hour.',
    times: (times: number) => `${count(times)} times`,
    gone: (kind: string) => `There is no such ${kind}`,
    goneText: 'It was deleted, or it belongs to another gateway, or this account may not see it.',
  },
  conditions: {
    sentence: (kind: Kind, type: string, status: 'True' | 'False' | 'Unknown') =>
      SENTENCES[kind][type]?.[status] ?? `${type} is ${status}.`,
    earlier: 'This was said of an earlier version of the resource.',
    since: (time: string) => `Since ${time}`,
  },
  gatewayPage: {
    tabs: 'File and manifest',
    file: 'Effective file',
    manifest: 'Manifest',
    fileAbout: 'What the operator made of all resources, and what the pods read. It is changed by changing resources.',
    noFile: 'The file cannot be shown',
    pods: 'Pods',
    noPods: 'No pod of the gateway runs.',
    wanted: (digest: string) => `effective file ${digest}`,
    ready: 'ready',
    notReady: 'not ready',
    columns: {
      pod: 'Pod',
      node: 'Node',
      ready: 'State',
      runs: 'Runs the file',
      values: 'Values',
      version: 'Version',
      lag: 'Up to date',
    },
    lags: { none: 'yes', behind: 'behind', unknown: 'not known' },
  },
  addResource: {
    routerTitle: 'Add a Router',
    processorTitle: 'Add a Processor',
    name: 'Name of the resource',
    nameMissing: 'It needs a name.',
    nameProblem: 'Small letters, digits and -, at most 40, a letter first.',
    nameTaken: 'The namespace has one of this name.',
    draftTaken: 'This browser has a draft of this name.',
    namespace: 'Namespace',
    namespaceHint: 'Secrets that the Router names must be in it too.',
    namespaceProblem: 'Small letters, digits and -.',
    pathHint: 'Begins and ends with a slash. Other namespaces than the gateway’s have their own name first.',
    urlHint: 'Where calls go.',
    apiKey: 'Key of the LLM API',
    apiKeyHint: 'The Secret that holds it. The key itself never comes here.',
    callerKey: 'Key of your callers (optional)',
    callerKeyHint: 'Callers must send its value as Api-Key. Empty: anyone who reaches the gateway may call.',
    secret: 'Secret',
    secretKey: 'Key in it',
    makeSecret: 'Where there is no such Secret yet: this waits for the key to be pasted, then makes the Secret.',
    secretCommand: (namespace: string, secret: string, key: string) =>
      `read -rs KEY; kubectl -n ${namespace} create secret generic ${secret} --from-literal=${key}="$KEY"`,
    submit: 'Make the manifest',
    draftOnly: 'It stays in this browser until you bring it into the cluster.',
    type: 'Type',
    types: {
      Tokenizer: 'Tokenizer: counts the tokens of payloads',
      TokenCounter: 'TokenCounter: counts and caps tokens',
      ContentFilter: 'ContentFilter: refuses toxic questions',
      NlpEntities: 'NlpEntities: finds names in texts',
      Regex: 'Regex: extracts sections of answers',
      CharacterCount: 'CharacterCount: counts characters',
      Mock: 'Mock: answers with what was answered before',
      Broker: 'Broker: spreads calls over Routers',
      Custom: 'Custom: a program of your own',
    },
    processorPlace: (namespace: string) =>
      `Processors see payloads, so they live in the gateway’s namespace, ${namespace}, only.`,
  },
} as const
