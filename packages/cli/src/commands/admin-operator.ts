import { changeUser, MACHINE } from '@bindery/server';
import { argument, defineCommand, flag } from '../command.ts';
import { dataDir, withDatabase } from './with-database.ts';

export const operatorCommand = defineCommand({
  name: 'operator',
  summary: 'Make an account an operator of the service, or revoke that',
  description:
    'Works whether the service is running or not. Operators see the Admin pages of the dashboard. A service keeps at least one ' +
    'operator who can sign in.',
  inputs: {
    userName: argument('<userName>', 'the account'),
    remove: flag('revoke its operator role'),
    dataDir,
  },
  examples: [
    ['bindery admin operator ada', 'let "ada" administer the service'],
    ['bindery admin operator bob --remove', '"bob" is an operator no longer'],
  ],
  run: async ({ userName, remove, dataDir }, { environment }) => {
    await withDatabase(environment, dataDir, (parts) =>
      changeUser(parts, MACHINE, { userName }, { operator: !remove }),
    );
    return { userName, operator: !remove };
  },
  render: ({ userName, operator }, output) =>
    output.line(operator ? `"${userName}" is an operator.` : `"${userName}" is no longer an operator.`),
});
