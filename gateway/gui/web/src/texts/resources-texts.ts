import { count } from '../formats.ts'

type Kind = 'LLMGateway' | 'Router' | 'Processor'
type Sentences = Readonly<Record<string, Readonly<Record<'True' | 'False' | 'Unknown', string>>>>

const SENTENCES: Readonly<Record<Kind, Sentences>> = {
  LLMGateway: {
    Accepted: {
      True: 'The operator manages this gateway.',
      False: 'The operator does not manage this gateway.',
      Unknown: 'The operator has not decided on this gateway.',
    },
    ResolvedRefs: {
      True: 'Every referenced Secret and ConfigMap was found.',
      False: 'A referenced object was not found.',
      Unknown: 'Referenced objects could not be read.',
    },
    Programmed: {
      True: 'Every ready pod runs the newest file.',
      False: 'Not every pod runs the newest file.',
      Unknown: 'The pods did not report their file.',
    },
    RecordsDurable: {
      True: 'Records are stored until they are delivered.',
      False: 'Records can be lost.',
      Unknown: 'The bus did not report its stream of records.',
    },
    Ready: {
      True: 'The gateway serves calls.',
      False: 'The gateway does not serve calls as it should.',
      Unknown: 'It is not known if the gateway serves calls.',
    },
  },
  Router: {
    Accepted: {
      True: 'The gateway accepts this Router and its path.',
      False: 'The gateway does not accept this Router.',
      Unknown: 'The operator has not decided if the gateway accepts this Router.',
    },
    ResolvedRefs: {
      True: 'Every variable has a value, and the address is valid.',
      False: 'A variable has no value, or the address is not valid.',
      Unknown: 'The variables are not checked yet.',
    },
    Programmed: {
      True: 'Every ready pod uses this Router as it is written.',
      False: 'The pods do not use this Router as it is written.',
      Unknown: 'The pods did not report if they use this Router.',
    },
    Ready: {
      True: 'Callers can use this Router.',
      False: 'Callers cannot use this Router as it is written.',
      Unknown: 'It is not known if callers can use this Router.',
    },
  },
  Processor: {
    Accepted: {
      True: 'The gateway accepts this Processor.',
      False: 'The gateway does not accept this Processor.',
      Unknown: 'The operator has not decided if the gateway accepts this Processor.',
    },
    ResolvedRefs: {
      True: 'Every referenced object was found.',
      False: 'A referenced object was not found.',
      Unknown: 'Referenced objects could not be read.',
    },
    Programmed: {
      True: 'The gateway’s pods call this Processor.',
      False: 'The gateway’s pods do not call this Processor as it is written.',
      Unknown: 'The gateway’s pods did not report if they call this Processor.',
    },
    Ready: {
      True: 'The Processor’s pods run and are connected to the bus.',
      False: 'The Processor’s pods do not run as they should.',
      Unknown: 'The Processor’s pods are not checked yet.',
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
    readyFilter: 'Status',
    readyFilters: { any: 'All', True: 'Ready', False: 'Not ready', Unknown: 'Not known' },
    noneFound: 'No resource matches.',
    more: 'Show more',
    shown: (shown: number, total: number) => `${count(shown)} of ${count(total)}`,
    about: (what: string, managers: readonly string[]) =>
      managers.length === 0 ? what : `${what} · written by ${managers.join(', ')}`,
    ready: 'ready',
    notLooked: 'not checked yet',
    changedHere: 'changed here',
    draft: 'draft',
    onlyHere: 'Only in this browser',
    unreadable: (kind: string, namespace: string) =>
      `Resources of the kind ${kind} in the namespace ${namespace} cannot be shown`,
    empty: {
      Router: {
        title: 'No Router for an LLM API yet',
        text: 'A Router has a path on the gateway, the address of an LLM API, and the Secret with the key that the gateway sends to it.',
      },
      Processor: {
        title: 'No Processor yet',
        text: 'A Processor is a program on the bus that reads a call, adds to its record, changes it or answers it.',
      },
    },
  },
  resource: {
    in: (kind: string, namespace: string) => `${kind} in ${namespace}`,
    status: 'Status',
    noConditions: 'The operator has not checked this resource yet. Is the operator running?',
    facts: 'Details',
    factNames: {
      url: 'Address in the cluster',
      path: 'Path',
      type: 'Type',
      managers: 'Written by',
      created: 'Created',
    },
    use: 'How callers use it',
    events: 'Events',
    noEvents: 'No events in the last hour.',
    times: (times: number) => `${count(times)} times`,
    gone: (kind: string) => `There is no such ${kind}`,
    goneText: 'The resource was deleted, belongs to another gateway, or this account may not read it.',
  },
  conditions: {
    sentence: (kind: Kind, type: string, status: 'True' | 'False' | 'Unknown') =>
      SENTENCES[kind][type]?.[status] ?? `${type} is ${status}.`,
    earlier: 'This status belongs to an earlier version of the resource.',
    since: (time: string) => `Since ${time}`,
  },
  gatewayPage: {
    tabs: 'File and manifest',
    file: 'Effective file',
    manifest: 'Manifest',
    fileAbout:
      'The operator makes this file from all resources, and the pods read it. Change the resources to change the file.',
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
      runs: 'File',
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
    nameMissing: 'Enter a name.',
    nameProblem: 'Use at most 40 small letters, digits and -, and begin with a letter.',
    nameTaken: 'The namespace has a resource with this name.',
    draftTaken: 'This browser has a draft with this name.',
    namespace: 'Namespace',
    namespaceHint: 'Secrets that the Router refers to must be in the same namespace.',
    namespaceProblem: 'Use small letters, digits and -.',
    pathHint:
      'A path begins and ends with a slash. Outside the gateway’s namespace it begins with the name of its namespace.',
    urlHint: 'The address of the LLM API.',
    apiKey: 'Key of the LLM API',
    apiKeyHint: 'The Secret with the key. The web interface never sees the key itself.',
    callerKey: 'Key of your callers (optional)',
    callerKeyHint: 'Callers must send the value as header Api-Key. Empty: anyone who reaches the gateway may call.',
    secret: 'Secret',
    secretKey: 'Key in the Secret',
    makeSecret: 'If the Secret does not exist yet, this command waits until you paste the key, then makes the Secret:',
    secretCommand: (namespace: string, secret: string, key: string) =>
      `read -rs KEY; kubectl -n ${namespace} create secret generic ${secret} --from-literal=${key}="$KEY"`,
    submit: 'Make the manifest',
    draftOnly: 'The manifest stays in this browser until you apply it to the cluster.',
    type: 'Type',
    types: {
      Tokenizer: 'Tokenizer: counts the tokens of payloads',
      TokenCounter: 'TokenCounter: counts and caps tokens',
      ContentFilter: 'ContentFilter: rejects toxic questions',
      NlpEntities: 'NlpEntities: finds names in texts',
      Regex: 'Regex: extracts sections of answers',
      CharacterCount: 'CharacterCount: counts characters',
      Mock: 'Mock: replays recorded answers',
      Broker: 'Broker: distributes calls over Routers',
      Custom: 'Custom: a program of your own',
    },
    processorPlace: (namespace: string) =>
      `Processors see payloads, so they are allowed only in the gateway’s namespace, ${namespace}.`,
  },
} as const
