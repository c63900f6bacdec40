import { routes } from '@bindery/contract';
import { defineCommand } from '../command.ts';

export const profile = defineCommand({
  name: 'profile',
  summary: 'Show who is signed in',
  inputs: {},
  examples: [['bindery profile', 'ask the server']],
  run: async (_, context) => (await context.signedInClient()).call(routes.login.getProfile, {}),
  render: ({ user }, output) => output.line(`${user.userName}  ${user.email}`),
});
