{{/* How often an endpoint of a PodMonitor is read. */}}
{{- define "llm-gateway.scrape" -}}
interval: {{ .interval }}
scrapeTimeout: {{ .scrapeTimeout }}
{{- end -}}
