/** Groups of variables with the programs that read them and a sentence for each. */
export const VARIABLE_GROUPS: readonly {
  readonly title: string
  readonly about: string
  readonly variables: Readonly<Record<string, string>>
}[] = [
  {
    title: 'Secrets and addresses',
    about:
      'The shipped files refer to these variables. A router that refers to an unset variable is rejected; the other routers run.',
    variables: {
      AISERVICE_API_BASE: 'Base address of the LLM API behind the default routers.',
      AISERVICE_API_KEY:
        'Key of the LLM API for `/restricted/`, and for the members of `/pool/` in `conf/examples/processors`.',
      GATEWAY_API_KEY: 'Key that `/restricted/` requires of callers.',
      NATS_TOKEN: 'The token of the bus. Unset: the supervisor makes a random one that nobody can read.',
      GUI_SECRET: 'The password of the web interface. Unset: the supervisor makes a random one, and nobody can log in.',
    },
  },
  {
    title: 'Gateway',
    about: 'The gateway reads these variables. References in its file may name any other variable, too.',
    variables: {
      SECRETS_DIR:
        'Folder with values of references: the name of a file is the name of a reference, the content is its value. Other programs read the folder, too.',
      NATS_USER: 'User of the bus, in place of a token. Processors and sinks read this variable, too.',
      NATS_PASSWORD: 'Password of that user.',
      https_proxy: 'Proxy for https addresses of LLM APIs.',
      HTTPS_PROXY: 'The same; the name in small letters wins.',
      http_proxy: 'Proxy for http addresses. `HTTP_PROXY` in capitals is not read.',
      no_proxy:
        'Hosts that are called without a proxy: `*`, names with their subdomains, addresses, CIDRs, each with an optional `:port`.',
      NO_PROXY: 'The same; the name in small letters wins.',
      NODE_OPTIONS: 'Options of Node. They have precedence over options that the gateway sets itself.',
    },
  },
  {
    title: 'Processors and sinks',
    about:
      'Every processor reads these variables. Every sink reads `GATEWAY_HOST` and those that begin with `NATS_`. An empty variable counts as unset.',
    variables: {
      GATEWAY_HOST:
        '`host` or `host:port` of the bus. Default: `service_bus.hostname` of the settings file, else `localhost:4222`.',
      BUS_PREFIX: 'First part of subjects. Default: `llm`.',
      PROCESSOR_SUBJECT: 'Subject and queue group. Default: `<BUS_PREFIX>.gl.<name of the processor>`.',
      PROCESSOR_CONFIG: 'Path of the settings file, if the argument `-o FILE` is missing.',
      PROCESSOR_PORT: 'Port of `/healthz`, `/readyz` and `/metrics`. Unset: no port.',
      PROCESSOR_HOST: 'Address that this port listens on. Unset: every address.',
      NATS_CREDS: 'Credentials file for the bus, in place of user and token.',
      NATS_CA_FILE:
        'PEM file of the authority that signed the certificate of the bus. This variable or one of the next two switches TLS on.',
      NATS_CERT_FILE: 'PEM file of the certificate that the program shows to the bus.',
      NATS_KEY_FILE: 'PEM file of the key of that certificate.',
    },
  },
  {
    title: 'Single processors',
    about: 'Each variable has precedence over the setting in the processor’s file.',
    variables: {
      LAMBDA: 'Mock: a replay waits a random time with a mean of 100/LAMBDA ms. Default: 0, no delay.',
      DISABLED_TIME: 'Broker: minutes for which a failed member is left out. Default: 10.',
      MATCH_JSON:
        'Regex: with `false`, `0`, `no` or `off` the processor does not parse JSON that it finds. Default: on.',
      THRESHOLD: 'Content filter: a call with a score above this value is refused. Default: 0.5.',
      REJECT_STATUS: 'Content filter: status of a refused call. Default: 403.',
    },
  },
  {
    title: 'Operator',
    about: 'Flags of the command line have precedence over these variables.',
    variables: {
      WATCH_NAMESPACES: 'Namespaces that the operator watches, separated by commas. Unset: all.',
      WEB_READ_ROLE:
        'ClusterRole or Role by which web interfaces read the cluster, as `KIND/NAME`. Unset: no web interface is made.',
      LEASE_NAME: 'Name of the Lease. Unset: made from the class.',
      POD_LABELS:
        'Labels of the operator’s pods, as `a=b,c=d`. NetworkPolicies of gateways allow access for pods with these labels.',
      POD_NAME: 'Name of the pod: the operator’s identity in the Lease.',
      POD_NAMESPACE: 'Namespace of the pod. Unset: the namespace of its service account.',
      KUBERNETES_SERVICE_HOST: 'Address of the API server, set by the kubelet.',
      KUBERNETES_SERVICE_PORT: 'Port of the API server, set by the kubelet.',
    },
  },
  {
    title: 'Bus',
    about:
      'The shipped `nats-server.conf` and `nats-server-tls.conf` refer to these variables. Only a commented part of the files refers to the passwords of users. On Kubernetes the operator sets `BUS_TOKEN`.',
    variables: {
      BUS_LEAF_PASSWORD:
        'Password between the two servers of a bus with TLS. Unset: the supervisor makes a random one.',
      BUS_LEAF_URL: 'Address at which the second server finds the first one. The supervisor sets it.',
      BUS_TOKEN: 'The token of the bus. The container of the bus quotes it for nats-server.',
      GATEWAY_BUS_PASSWORD: 'Password of the user of gateways.',
      PROCESSORS_BUS_PASSWORD: 'Password of the user of processors.',
      SINKS_BUS_PASSWORD: 'Password of the user of sinks.',
      READERS_BUS_PASSWORD: 'Password of the user of readers.',
    },
  },
  {
    title: 'Bus exporter',
    about: 'The program beside a bus that serves the bus’s metrics to Prometheus.',
    variables: {
      BUS_MONITOR: 'Address of the bus’s monitoring port. Default: `http://127.0.0.1:8222`.',
      EXPORTER_PORT: 'Port of `/metrics`. Default: 9465.',
      EXPORTER_HOST: 'Address that this port listens on. Unset: every address.',
      BUS_STORE: 'Folder of the bus’s store. If it is set, the exporter tests whether the bus still stores messages.',
      BUS_CLUSTER: '`true`: the bus is one of several servers.',
    },
  },
  {
    title: 'Memory',
    about:
      'The allocator and Node read these variables. The gateway, the web interface and the supervisor’s services set an unset variable to the default below.',
    variables: {
      LD_PRELOAD:
        'Libraries that are loaded into a process before others. The gateway sets it to jemalloc where it finds this library, and so keeps half as much memory after hostile traffic. Set it to an empty text to allocate by glibc.',
      MALLOC_CONF:
        'Settings of jemalloc. Default of the gateway: one arena, whose free pages are returned after a second.',
      MALLOC_ARENA_MAX:
        'Number of glibc’s heaps in one process. Default: 1, with which glibc returns more memory to the system.',
      NODE_COMPILE_CACHE: 'Folder of Node’s compiled code. Default: `node_modules/.cache/llm-gateway` beside the code.',
    },
  },
  {
    title: 'Between programs',
    about: 'The supervisor sets these variables for its services. Do not set them yourself.',
    variables: {
      GENERATED_SECRETS: 'Names of the secrets that the supervisor generated.',
      SERVICES_STATE: 'File with the states of the services.',
    },
  },
]
