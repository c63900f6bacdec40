import { once } from 'node:events';
import { isEveryAddress, readConfiguration, startService, unknownSettings } from '@bindery/server';
import { defineCommand, integer, oneOf, option, text } from '../command.ts';
import { tuneGcForRequests } from '../garbage-collection.ts';
import { withServiceErrors } from './with-database.ts';

const LAST_PORT = 65_535;

export const serve = defineCommand({
  name: 'serve',
  summary: 'Run the service',
  description:
    'Runs the API, the authorization server and the dashboard in one process, with database and files in one folder. ' +
    'Once ready, it prints one line on stdout: "listening on <url>". Logs go to stderr. On SIGTERM or Ctrl-C it finishes running ' +
    'requests; a second one ends it at once.\n\n' +
    'Every setting is also an environment variable; docs/self-hosting.md lists them all.',
  inputs: {
    host: option('<address>', 'address to listen on (BINDERY_HOST; 127.0.0.1)', text),
    port: option(
      '<number>',
      'port; 0 picks a free one (BINDERY_PORT; 7420)',
      integer({ min: 0, max: LAST_PORT }),
    ),
    dataDir: option(
      '<dir>',
      'folder for database and files (BINDERY_DATA_DIR; ~/.local/share/bindery)',
      text,
    ),
    objects: option(
      '<url>',
      's3://bucket/prefix for the files, instead of the folder (BINDERY_OBJECTS)',
      text,
    ),
    role: option('<role>', 'api, auth or all (BINDERY_ROLE; all)', oneOf('all', 'api', 'auth')),
  },
  examples: [
    ['bindery serve', 'on this machine only, port 7420'],
    ['bindery serve --host 0.0.0.0 --data-dir /srv/bindery', 'for others, with its data in /srv/bindery'],
  ],
  run: async ({ host, port, dataDir, objects, role }, { environment, output, signal }) => {
    const variables = {
      ...environment,
      ...(host !== undefined && { BINDERY_HOST: host }),
      ...(port !== undefined && { BINDERY_PORT: String(port) }),
      ...(dataDir !== undefined && { BINDERY_DATA_DIR: dataDir }),
      ...(objects !== undefined && { BINDERY_OBJECTS: objects }),
      ...(role !== undefined && { BINDERY_ROLE: role }),
    };
    for (const { name, nearest } of unknownSettings(variables)) {
      output.warn(`${name} is not a setting of Bindery and has no effect; did you mean ${nearest}?`);
    }
    tuneGcForRequests();
    const configuration = await withServiceErrors(async () => readConfiguration(variables));
    const service = await withServiceErrors(() => startService(configuration));
    if (!signal.aborted) {
      output.line(`listening on ${service.url}`);
      if (service.setUpUrl !== null) {
        output.streams.stderr.write(`There are no accounts yet. Create the first one: ${service.setUpUrl}\n`);
        if (configuration.publicUrl === null && isEveryAddress(configuration.host)) {
          output.streams.stderr.write(
            'From another machine, put the name of this one in place of "localhost".\n',
          );
        }
      }
      await once(signal, 'abort');
    }
    await service.close();
  },
  render: () => {},
});
