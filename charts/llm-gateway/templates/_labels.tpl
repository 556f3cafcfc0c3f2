{{/*
The first one never follows the release: the operator's NetworkPolicies let its own pods in by it.
*/}}
{{- define "llm-gateway.operatorSelector" -}}
app.kubernetes.io/name: llm-gateway-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "llm-gateway.demoSelector" -}}
app.kubernetes.io/name: demo-llm
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Labels as YAML: those of every object of the release, then `more`, then the values' common ones; `root` is the context. */}}
{{- define "llm-gateway.labels" -}}
{{- $chart := printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" -}}
{{- $own := dict "helm.sh/chart" $chart "app.kubernetes.io/version" .root.Chart.AppVersion -}}
{{- $own = merge $own (dict "app.kubernetes.io/managed-by" .root.Release.Service "app.kubernetes.io/part-of" "llm-gateway") -}}
{{ merge $own (default (dict) .more) .root.Values.commonLabels | toYaml }}
{{- end -}}

{{/*
What stands below `metadata:` beside the name, as YAML. `root` is the context; `labels` and `annotations` are added to the
common ones; `cluster` says that the object has no namespace, `namespace` that it has another one.
*/}}
{{- define "llm-gateway.metadata" -}}
{{- if not .cluster -}}
namespace: {{ default .root.Release.Namespace .namespace }}
{{ end -}}
labels:
  {{- include "llm-gateway.labels" (dict "root" .root "more" .labels) | nindent 2 }}
{{- with merge (dict) (default (dict) .annotations) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The same of what belongs to the operator. */}}
{{- define "llm-gateway.operatorMetadata" -}}
{{- $selector := include "llm-gateway.operatorSelector" .root | fromYaml -}}
{{ include "llm-gateway.metadata" (set . "labels" (merge $selector (default (dict) .labels))) }}
{{- end -}}
