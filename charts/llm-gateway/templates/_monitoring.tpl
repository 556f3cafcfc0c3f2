{{/* Returns the interval and timeout of a PodMonitor's endpoint. */}}
{{- define "llm-gateway.scrape" -}}
interval: {{ .interval }}
scrapeTimeout: {{ .scrapeTimeout }}
{{- end -}}
