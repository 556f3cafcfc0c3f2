# The image of `make image` for those who have a container engine: the same files, put together by the same program from
# the lists in tools/image/contents.ts. tools/image/dockerfile.test.ts holds this file to them.
FROM golang:1.26.8-bookworm AS go

FROM node:24.21.0-bookworm-slim AS build
# What re2, the regex processor's native engine, is compiled with.
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY .npmrc package-lock.json package.json ./
COPY LICENSE ./
COPY conf conf
COPY crds crds
COPY gateway gateway
COPY operator operator
COPY processors processors
COPY test/package.json test/package.json
RUN npm ci
COPY tools/re2 tools/re2
COPY tools/setup tools/setup
RUN node tools/re2/main.ts
# What nats-server is built with.
COPY --from=go /usr/local/go /usr/local/go
ENV PATH="/usr/local/bin:/usr/bin:/bin:/usr/local/go/bin"
COPY tools/versions.json tools/versions.json
COPY tools/gui tools/gui
COPY tools/image tools/image
RUN node tools/image/main.ts --tree /image

FROM scratch
COPY --from=build /image/ /
LABEL org.opencontainers.image.title="llm-gateway" \
      org.opencontainers.image.description="An LLM gateway for Kubernetes: routers, key swap, sessions, processors on a bus, one complete record per call." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV PATH="/usr/bin" NODE_ENV="production"
WORKDIR /app
USER 65532:65532
EXPOSE 5380/tcp
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/node"]
CMD ["/app/gateway/src/main.ts", "-o", "/app/conf/gl_config.json"]
