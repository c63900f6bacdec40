import { setOperator } from '@bindery/server';
import { argument, defineCommand, flag } from '../command.ts';
import { dataDir, onDatabase } from './on-database.ts';

export const operatorCommand = defineCommand({
  name: 'operator',
  summary: 'Let an account administer the service, or take that away',
  description:
    'Works with the service running or not. Operators see the Admin pages of the dashboard. A service keeps at least one ' +
    'operator who can sign in.',
  inputs: {
    userName: argument('<userName>', 'whose right it is'),
    remove: flag('take the right away'),
    dataDir,
  },
  examples: [
    ['bindery admin operator ada', 'let "ada" administer the service'],
    ['bindery admin operator bob --remove', 'no longer let "bob" do so'],
  ],
  run: async ({ userName, remove, dataDir }, { environment }) => {
    await onDatabase(environment, dataDir, (parts) => setOperator(parts, userName, !remove));
    return { userName, operator: !remove };
  },
  render: ({ userName, operator }, output) =>
    output.line(operator ? `"${userName}" is an operator.` : `"${userName}" is no operator any more.`),
});
