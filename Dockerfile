# A node of Belay. The package has no dependencies, so the image needs only its files and Node.
FROM node:24-bookworm-slim AS build
WORKDIR /belay
COPY . .
RUN npm ci --ignore-scripts && npm run build

FROM node:24-bookworm-slim
WORKDIR /belay
COPY --from=build /belay/package.json ./
COPY --from=build /belay/bin ./bin
COPY --from=build /belay/dist ./dist
# Agents are programs of their own: install them here, and use the same image for all nodes.
RUN useradd --create-home belay && install -d -o belay -m 0700 /data
USER belay
ENV BELAY_HOME=/data
VOLUME /data
EXPOSE 4747
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:4747/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/belay.mjs"]
CMD ["serve", "--host", "0.0.0.0", "--insecure"]
