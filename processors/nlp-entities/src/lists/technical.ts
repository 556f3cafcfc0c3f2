/** Tools and languages whose names are also names of people or places, or plain words. */
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

/** Acronyms that name no organization. */
export const NOT_AN_ORGANIZATION: ReadonlySet<string> = new Set(
  `
A AC ACID AD AI AM API APIs APR ASAP ASCII ATM BA BC BIOS BMI BSD CAD CAGR CAP CD CEO CFO CI BA CIO CLI CMO COO COVID CPR CPU CRM CRUD CSS CSV CT CTO CV DB DC DIY DM
DNA DNS DOM DVD EBITDA EOD EOF EPS ERP ESG ESP EST ETA ETF ETL EV FAQ FAQs FBX FM FPS FTP FYI GDP GIF GMT GNP GPA GPS GPU GPUs GUI HD HDMI HIV HQ HR HTML HTTP HTTPS
ICU ID IDE IO IP IPO IQ ISBN IT IVF JPEG JPG JS JSON JVM JWT KPI KPIs LAN LCD LED LGBT LGBTQ LLM LLMs MBA MD ML MP MPs MRI MVP NDA NFT NLP NB NPC OK OCR OLED ORM OS
PA PC PCR PDF PE PHD PHP PIN PM PMI PNG POS POV PR PS PTSD QA QR RAM RBAC REST RFC RGB RNA ROI ROM RPC RSS RSVP SAT SDK SDKs SEO SLA SMS SMTP SOS SPF SQL SSD SSH
SSL SSO STD STEM SUV SVG TB TBD TCP TLDR TLS TNT TODO TTL TV UDP UFO UI UML URI URL URLs USB UTC UTF UUID UX VAT VC VIP VM VMs VPN VR WAN XML XSS YAML YOLO ZIP II III
IV VI VII VIII IX XI XII PDFs TXT CET PST EDT PDT CST AND OR NOT THE NO YES IF ELSE END NULL TRUE FALSE NOTE WARNING ERROR IMPORTANT`
    .trim()
    .split(/\s+/),
)
