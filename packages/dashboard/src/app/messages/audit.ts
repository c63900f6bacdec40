import type { AuditAction } from '@bindery/contract';
import { messages } from '../messages.ts';

export const auditMessages = {
  title: messages.titles.audit,
  did: describeAction,
  detailOf: (name: string, value: unknown) => (value === true ? inWords(name) : `${inWords(name)} ${value}`),
  detail: 'Who changed what in this namespace, and from where.',
  filters: 'Filters',
  user: 'User',
  namespace: 'Namespace',
  action: 'Action',
  anyAction: 'Any action',
  from: 'From',
  to: 'To',
  show: 'Apply',
  all: 'Clear filters',
  none: 'No entries',
  noneDetail: 'The log has no entries.',
  noneFound: 'No entry matches all of these. Try fewer filters.',
  older: 'Older entries',
  nameRule: 'Use lowercase letters, digits or hyphens.',
  nobody: { machine: 'the service’s own machine', signedOut: 'nobody signed in' },
  via: {
    page: 'a page of the service',
    dashboard: 'the dashboard',
    login: 'bindery login',
    token: 'a personal token',
    watch: 'an import of what is watched',
    machine: 'a command or the service itself',
  },
} as const;

/** `note.file` as `Note filed`. */
function describeAction(action: AuditAction): string {
  const [subject = '', verb = ''] = action.split('.');
  const done = IRREGULAR[verb] ?? `${verb}${verb.endsWith('e') ? 'd' : 'ed'}`;
  const words = verb === '' ? subject : `${subject} ${done}`;
  return inWords(`${words.charAt(0).toUpperCase()}${words.slice(1)}`);
}

const IRREGULAR: Readonly<Record<string, string>> = {
  failed: 'refused',
  'hand-over': 'handed over',
  quota: 'quota set',
  register: 'published',
  set: 'set',
};

/** `newShareLink` as `new share link`. */
function inWords(name: string): string {
  return name.replaceAll('-', ' ').replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
