{{/*
Returns the labels that select the operator's pods. The name is fixed, because the operator's NetworkPolicies select by it.
*/}}
{{- define "llm-gateway.operatorSelector" -}}
app.kubernetes.io/name: llm-gateway-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "llm-gateway.demoSelector" -}}
app.kubernetes.io/name: demo-llm
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Returns labels as YAML: those of every object of the release, then `more`, then `commonLabels`; `root` is the context. */}}
{{- define "llm-gateway.labels" -}}
{{- $chart := printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" -}}
{{- $own := dict "helm.sh/chart" $chart "app.kubernetes.io/version" .root.Chart.AppVersion -}}
{{- $own = merge $own (dict "app.kubernetes.io/managed-by" .root.Release.Service "app.kubernetes.io/part-of" "llm-gateway") -}}
{{ merge $own (default (dict) .more) .root.Values.commonLabels | toYaml }}
{{- end -}}

{{/*
Returns the fields of `metadata:` except the name, as YAML. `root` is the context; `labels` and `annotations` are added to the
common ones; `cluster` is true for an object without a namespace, `namespace` names a namespace other than the release's.
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

{{/* Returns the fields of `metadata:` for objects of the operator. */}}
{{- define "llm-gateway.operatorMetadata" -}}
{{- $selector := include "llm-gateway.operatorSelector" .root | fromYaml -}}
{{ include "llm-gateway.metadata" (set . "labels" (merge $selector (default (dict) .labels))) }}
{{- end -}}
