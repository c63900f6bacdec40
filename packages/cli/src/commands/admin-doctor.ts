import { diagnose } from '@bindery/server';
import { defineCommand } from '../command.ts';
import { EXIT } from '../output/exit-codes.ts';
import { sanitizeLine } from '../output/text.ts';
import { configurationOf, dataDir } from './with-database.ts';
import { withServiceErrors } from './with-service-errors.ts';

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Check every part of a service, and say how to fix what is wrong',
  description:
    'Checks database, schema, clocks, store, disk space, the search model, operators and known damage, whether the service is ' +
    'running or not. It changes nothing. Exit code 7: some part does not work.',
  inputs: { dataDir },
  examples: [['bindery admin doctor --data-dir /var/lib/bindery', 'is everything all right?']],
  run: async ({ dataDir }, { environment }) =>
    withServiceErrors(async () => ({ findings: await diagnose(configurationOf(environment, dataDir)) })),
  render: ({ findings }, output) => {
    for (const { part, status, message, remedy } of findings) {
      output.line(`${part}: ${status === 'ok' ? 'ok' : status.toUpperCase()}. ${sanitizeLine(message)}`);
      if (remedy !== null) output.line(`  ${sanitizeLine(remedy)}`);
    }
  },
  exitCode: ({ findings }) =>
    findings.some(({ status }) => status === 'failed') ? EXIT.integrity : EXIT.done,
});
