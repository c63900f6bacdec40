import { AUDIT_ACTIONS, type AuditAction } from '@bindery/contract';
import { auditPage } from '@bindery/server';
import { defineCommand, option, text } from '../command.ts';
import { auditInputs, showAudit } from '../output/audit.ts';
import { usageError } from '../output/command-error.ts';
import { dataDir, withDatabase } from './with-database.ts';

export const auditCommand = defineCommand({
  name: 'audit',
  summary: 'Show who changed what and from where, directly in the database',
  description:
    'Works whether the service is running or not. Newest first; entries are kept for BINDERY_AUDIT_DAYS days. Failed sign-ins are ' +
    'included. "machine" is a command on the service\'s own machine.',
  inputs: { ...auditInputs, namespace: option('<namespace>', 'only what happened in it', text), dataDir },
  examples: [
    ['bindery admin audit', 'the last 50 lines'],
    [
      'bindery admin audit --namespace acme --action member.set --json',
      'who was added to "acme", and by whom',
    ],
  ],
  run: async ({ action, dataDir, ...query }, { environment }) => {
    const asked = action === undefined ? {} : { action: parseAuditAction(action) };
    return withDatabase(environment, dataDir, (context) => auditPage(context, { ...query, ...asked }));
  },
  render: showAudit,
});

function parseAuditAction(action: string): AuditAction {
  const found = AUDIT_ACTIONS.find((name) => name === action);
  if (found) return found;
  throw usageError(`Unknown action "${action}".`, `The actions are ${AUDIT_ACTIONS.join(', ')}.`);
}
