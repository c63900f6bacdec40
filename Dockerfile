# syntax=docker/dockerfile:1
# docker build -t bindery . && docker run -p 7420:7420 -v bindery:/data bindery

# An exact version on Debian stable, which is raised on purpose. Whoever builds for others may add its digest
# (node:<version>@sha256:…): a tag can be moved.
ARG NODE=node:24.21.0-trixie-slim

FROM ${NODE} AS build
WORKDIR /clone
COPY . .
RUN npm ci --ignore-scripts && npm run packages && deploy/install.sh build/packages /opt/bindery

FROM ${NODE}
COPY --from=build /opt/bindery /opt/bindery
RUN ln -s /opt/bindery/bin/bindery /usr/local/bin/bindery && install -d -o node -g node -m 0700 /data
ENV NODE_ENV=production \
    HOME=/tmp \
    XDG_CACHE_HOME=/tmp \
    BINDERY_HOST=0.0.0.0 \
    BINDERY_DATA_DIR=/data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 7420
STOPSIGNAL SIGTERM
# Only /data and /tmp are written; the rest may be mounted read-only.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7420/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["bindery"]
CMD ["serve"]
