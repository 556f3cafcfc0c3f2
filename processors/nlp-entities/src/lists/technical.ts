/** Tools and languages whose names are also people's, places' or plain words: with a capital they are neither. */
export const TECHNICAL: ReadonlySet<string> = new Set(
  `Airflow Ansible Argo Arrow Bazel Beam Bun Cassandra Celery Chef Cilium Consul Crossplane Dagster Dapr Debezium Deno Django Docker Druid
  Elasticsearch Ember Envoy Express Falco Fastify Flask Flink Flux Gatsby Git Go Gradle Grafana Gin Groovy Hadoop Harbor Hazelcast Helm Hive
  Hudi Iceberg Ignite Istio Jaeger Jenkins Jest Jira Julia Jupyter Kafka Keycloak Kibana Knative Kotlin Kustomize Laravel Linkerd Loki Lua
  Lucene Maven Memcached Mongo MongoDB Mesos Nginx Nomad Node NumPy Pandas Perl Podman Postgres Presto Prefect Prometheus Pulumi Puppet
  PyTorch Pytest Python RabbitMQ Rails React Redis Redux Ruby Rust Scala Selenium Sentry Solr Spark Spinnaker Spring Streamlit Superset
  Svelte Swift Tekton Tempo Tensorflow TensorFlow Terraform Thanos Tomcat Traefik Trino Vagrant Vault Velero Vite Vue Webpack Zig Zookeeper
  Alertmanager Ceph Minio MinIO OpenTelemetry Pulsar Kong Caddy Haskell Erlang Elixir Clojure Bash Excel Word Outlook Slack Stripe`
    .trim()
    .split(/\s+/),
)
