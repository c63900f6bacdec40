import type { FastifyInstance } from 'fastify';
import type { ClientArchive, Context } from '../context.ts';
import { ServiceError } from '../errors.ts';

/** Serves `/install`, a script that installs the command line, and the archive that it takes. */
export function installViews(app: FastifyInstance, { clientArchive, publicUrl }: Context): void {
  app.get('/install', (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(installScript(publicUrl(), required(clientArchive))),
  );
  app.get<{ Params: { name: string } }>('/install/:name', ({ params }, reply) => {
    const { name, bytes, sha256 } = required(clientArchive);
    if (params.name !== name) throw new ServiceError('not_found', `There is no such file; it is ${name}.`);
    return reply
      .type('application/gzip')
      .headers({ 'cache-control': 'no-cache', etag: `"${sha256}"`, 'content-length': bytes.length })
      .send(bytes);
  });
}

function required(archive: ClientArchive | null): ClientArchive {
  if (archive !== null) return archive;
  const why = 'This service has no archive of the command line: it runs in a clone without built packages.';
  throw new ServiceError('not_found', `${why} Its operator adds it with "npm run packages" there.`);
}

function installScript(url: string, { name, sha256 }: ClientArchive): string {
  const source = quoted(`${url}/install/${name}`);
  return `#!/bin/sh
# Installs "bindery", the command line, with npm and Node 22.18 or newer:
#   curl -fsS ${quoted(`${url}/install`)} | sh
# Without a shell: npm install --global ${source}
# SHA-256 of ${name}: ${sha256}
{
  set -eu
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  curl -fsSo "$folder/${name}" ${source}
  cd "$folder"
  echo '${sha256}  ${name}' | if command -v sha256sum >/dev/null; then sha256sum -c -; else shasum -a 256 -c -; fi
  npm install --global --ignore-scripts --no-audit --no-fund "./${name}"
}
`;
}

/** A word for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
