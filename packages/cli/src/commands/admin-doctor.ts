import { diagnose } from '@bindery/server';
import { defineCommand } from '../command.ts';
import { EXIT } from '../output/exit-codes.ts';
import { plain } from '../output/text.ts';
import { configurationOf, dataDir } from './on-database.ts';
import { inService } from './service-failures.ts';

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Look at every part of a service, and say what to do about what is wrong',
  description:
    'Database, schema, clocks, store, disk space, the model of queries, operators and known damage, with the service ' +
    'running or not. It changes nothing. Exit code 7: a part cannot do its work.',
  inputs: { dataDir },
  examples: [['bindery admin doctor --data-dir /var/lib/bindery', 'is everything in order?']],
  run: async ({ dataDir }, { environment }) =>
    inService(async () => ({ findings: await diagnose(configurationOf(environment, dataDir)) })),
  render: ({ findings }, output) => {
    for (const { part, status, says, mend } of findings) {
      output.line(`${part}: ${status === 'ok' ? 'ok' : status.toUpperCase()}. ${plain(says)}`);
      if (mend !== null) output.line(`  ${plain(mend)}`);
    }
  },
  exitCode: ({ findings }) =>
    findings.some(({ status }) => status === 'failed') ? EXIT.integrity : EXIT.done,
});
