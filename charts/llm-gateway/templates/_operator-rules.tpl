{{/*
The operator's rights: watch resources and its own objects, write its own objects and statuses. `everywhere` is true for
rules of the whole cluster, false for one namespace; `webRole` is the role that the operator binds to web interfaces.
*/}}
{{- define "llm-gateway.operatorRules" -}}
- apiGroups: [llmgateway.io]
  resources: [llmgateways, routers, processors]
  verbs: [list, watch]
- apiGroups: [llmgateway.io]
  resources: [llmgateways/status, routers/status, processors/status]
  verbs: [patch]
# Namespace labels decide which Routers are admitted. A Role grants its own namespace only.
- apiGroups: [""]
  resources: [namespaces]
  verbs: {{ ternary "[list, watch]" "[get]" .everywhere }}
# The operator watches the metadata of Secrets and reads single Secrets by name. The right to list allows reading all.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, watch, create, patch, delete]
# Objects that may be deleted while their gateway stays: those of a bus that became External, a sink or a Processor.
- apiGroups: [""]
  resources: [configmaps, services]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [apps]
  resources: [deployments, statefulsets]
  verbs: [get, list, watch, create, patch, delete]
# The owner of a pod, since anybody can set a pod's labels.
- apiGroups: [apps]
  resources: [replicasets]
  verbs: [list, watch]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, list, watch, create, patch, delete]
# Objects of a Processor are deleted with it; those of a gateway exist as long as the gateway.
- apiGroups: [""]
  resources: [serviceaccounts]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch, create, patch, delete]
# The operator sets one annotation of a pod; the admission policies allow no other change.
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch, patch]
# The lease shows if another installation of the class still manages an LLMGateway.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get]
# The operator binds the read role to the accounts of web interfaces. Kubernetes forbids binding other roles with more rights
# than the operator's; the admission policies allow this role only.
- apiGroups: [rbac.authorization.k8s.io]
  resources: [rolebindings]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [{{ ternary "clusterroles" "roles" .everywhere }}]
  resourceNames: [{{ .webRole }}]
  verbs: [bind]
# Events, shown by `kubectl describe`.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end -}}
