import { AUDIT_ACTIONS, type AuditAction } from '@bindery/contract';
import { auditPage } from '@bindery/server';
import { defineCommand, option, text } from '../command.ts';
import { auditInputs, showAudit } from '../output/audit.ts';
import { usageError } from '../output/command-error.ts';
import { dataDir, onDatabase } from './on-database.ts';

export const auditCommand = defineCommand({
  name: 'audit',
  summary: 'Show who changed what and from where, straight on the database',
  description:
    'Works with the service running or not. Newest first; lines stay for BINDERY_AUDIT_DAYS days. Sign-ins that failed are ' +
    'among them. "machine" is a command on the service\'s own machine.',
  inputs: { ...auditInputs, namespace: option('<namespace>', 'only what happened in it', text), dataDir },
  examples: [
    ['bindery admin audit', 'the last 50 lines'],
    [
      'bindery admin audit --namespace acme --action member.set --json',
      'who was let into "acme", and by whom',
    ],
  ],
  run: async ({ action, dataDir, ...query }, { environment }) => {
    const asked = action === undefined ? {} : { action: known(action) };
    return onDatabase(environment, dataDir, ({ db }) => auditPage(db, { ...query, ...asked }));
  },
  render: showAudit,
});

function known(action: string): AuditAction {
  const found = AUDIT_ACTIONS.find((name) => name === action);
  if (found) return found;
  throw usageError(`There is no action "${action}".`, `Actions are ${AUDIT_ACTIONS.join(', ')}.`);
}
