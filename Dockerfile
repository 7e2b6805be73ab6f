# Builds an image that runs `cbos serve` and joins a fleet through environment variables: docs/guides/containers.md

# Another image of Debian with Node, for example from a registry of your own
ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.base.json ./
COPY scripts scripts
COPY src src
RUN node scripts/build.mjs --bundle-only

FROM ${NODE_IMAGE}
# tini reaps the zombie processes that sessions leave behind. Only the founder of a fleet needs nats-server and openssl.
RUN apt-get update \
  && apt-get install -y --no-install-recommends screen bsdutils git ca-certificates procps tini nats-server openssl \
  && rm -rf /var/lib/apt/lists/*
ARG CLAUDE_CODE_VERSION=2.1.330
RUN npm install -g @anthropic-ai/claude-code@${CLAUDE_CODE_VERSION}
WORKDIR /opt/cbos
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts
COPY --from=build /src/dist dist
RUN ln -s /opt/cbos/dist/cbos.js /usr/local/bin/cbos
USER node
WORKDIR /home/node
# The home contains the machine's key and its sessions. Without a volume, each new container is a new machine.
VOLUME /home/node
ENV CBOS_RESTORE_AT_START=true
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["cbos", "ls", "-q"]
# -s: it reaps them even if it is not process 1, as in a pod that shares its processes.
ENTRYPOINT ["tini", "-s", "--"]
CMD ["cbos", "serve"]
