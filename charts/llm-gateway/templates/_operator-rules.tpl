{{/*
What the operator may do: watch what people write and what it made, write what it made and statuses. `everywhere` says whether
these are the rules of the whole cluster or of one namespace, `webRole` what it may bind to accounts of web interfaces.
*/}}
{{- define "llm-gateway.operatorRules" -}}
- apiGroups: [llmgateway.io]
  resources: [llmgateways, routers, processors]
  verbs: [list, watch]
- apiGroups: [llmgateway.io]
  resources: [llmgateways/status, routers/status, processors/status]
  verbs: [patch]
# The labels of a namespace say which Routers are admitted. A Role reaches its own namespace and no other.
- apiGroups: [""]
  resources: [namespaces]
  verbs: {{ ternary "[list, watch]" "[get]" .everywhere }}
# Secrets are watched as metadata and read by name. Who may list Secrets can read them all: the operator doesn't, but could.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, watch, create, patch, delete]
# What can go again while its gateway stays: a bus that became External, a sink, a Processor.
- apiGroups: [""]
  resources: [configmaps, services]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [apps]
  resources: [deployments, statefulsets]
  verbs: [get, list, watch, create, patch, delete]
# Whose a pod is: a label anybody can give it.
- apiGroups: [apps]
  resources: [replicasets]
  verbs: [list, watch]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, list, watch, create, patch, delete]
# Those of a Processor go with it; a gateway's own live as long as the gateway.
- apiGroups: [""]
  resources: [serviceaccounts]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch, create, patch, delete]
# The nudge: one annotation; the admission policies hold it to that.
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch, patch]
# Whether another installation of its class still looks after an LLMGateway.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get]
# The account of a web interface reads what it shows. The operator may bind no role that gives more than the operator has but
# this one; the admission policies hold it to this one alone.
- apiGroups: [rbac.authorization.k8s.io]
  resources: [rolebindings]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [{{ ternary "clusterroles" "roles" .everywhere }}]
  resourceNames: [{{ .webRole }}]
  verbs: [bind]
# What people read in `kubectl describe`.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end -}}
