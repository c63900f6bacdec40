import type { CommandEntry } from '../command.ts';
import { optionalPackage } from './optional-package.ts';

/** Every command, in the order of the help. */
export const commandEntries: readonly CommandEntry[] = [
  {
    name: 'login',
    summary: 'Sign in with the browser',
    load: async () => (await import('./login.ts')).login,
  },
  {
    name: 'logout',
    summary: 'Sign out and forget the token',
    load: async () => (await import('./logout.ts')).logout,
  },
  {
    name: 'profile',
    summary: 'Show who is signed in',
    load: async () => (await import('./profile.ts')).profile,
  },
  {
    name: 'library',
    summary: 'Publish, find, verify and pull libraries',
    load: async (command) => (await import('./library/index.ts')).loadLibrary(command),
  },
  {
    name: 'search',
    summary: 'Search everything you can read',
    load: async () => (await import('./library/search.ts')).search,
  },
  {
    name: 'push',
    summary: 'The same as library push: publish a folder as a library, or update the library from it',
    load: async () => (await import('./library/push.ts')).push,
  },
  {
    name: 'import',
    summary: 'The same as library import: publish what another place holds, as a copy of your own',
    load: async () => (await import('./library/import.ts')).importCommand,
  },
  {
    name: 'pull',
    summary: 'The same as library pull: download a library, or some of its assets, into a folder',
    load: async () => (await import('./library/pull.ts')).pull,
  },
  {
    name: 'info',
    summary: 'The same as library info: show a library or one of its assets',
    load: async () => (await import('./library/info.ts')).info,
  },
  {
    name: 'ls',
    summary: 'The same as library ls: list the files of a library or of some of its assets',
    load: async () => (await import('./library/ls.ts')).ls,
  },
  {
    name: 'url',
    summary: 'The same as library url: print the permanent address of an asset or a file',
    load: async () => (await import('./library/url.ts')).url,
  },
  {
    name: 'path',
    summary: 'Print where an asset is in the cache of this machine, fetching it first if need be',
    load: async () => (await import('./assets/path.ts')).path,
  },
  {
    name: 'use',
    summary: 'Add assets to this project',
    load: async () => (await import('./assets/use.ts')).use,
  },
  {
    name: 'unuse',
    summary: 'Remove assets from this project',
    load: async () => (await import('./assets/use.ts')).unuse,
  },
  {
    name: 'sync',
    summary: 'Fetch the assets of this project and lock their exact contents',
    load: async () => (await import('./assets/sync.ts')).sync,
  },
  {
    name: 'verify',
    summary: 'Prove that a release is the one that an owner signed',
    load: async () => (await import('./verify.ts')).verify,
  },
  {
    name: 'outdated',
    summary: 'List the libraries of which this project would get other files',
    load: async () => (await import('./assets/outdated.ts')).outdated,
  },
  {
    name: 'cache',
    summary: 'Show, verify and prune the cache of this machine',
    load: async () => (await import('./cache.ts')).cache,
  },
  {
    name: 'namespace',
    summary: 'List, create, rename and delete namespaces',
    load: async () => (await import('./namespace.ts')).namespace,
  },
  {
    name: 'member',
    summary: 'List, add and remove the members of a namespace',
    load: async () => (await import('./member.ts')).member,
  },
  {
    name: 'project',
    summary: 'List, create and share projects',
    load: async () => (await import('./project.ts')).project,
  },
  {
    name: 'note',
    summary: 'List, create and file Notes',
    load: async () => (await import('./note.ts')).note,
  },
  {
    name: 'bindr',
    summary: 'List, create and attach the tags of a project',
    load: async () => (await import('./bindr.ts')).bindr,
  },
  {
    name: 'proposal',
    summary: 'See, comment and decide what others propose to change in libraries',
    load: async () => (await import('./proposal.ts')).proposal,
  },
  {
    name: 'webhook',
    summary: 'Notify other services of events in a namespace',
    load: async () => (await import('./webhook.ts')).webhook,
  },
  {
    name: 'token',
    summary: 'List, create and revoke personal access tokens',
    load: async () => (await import('./token.ts')).token,
  },
  {
    name: 'model',
    summary: 'Download, list and remove models for search by meaning',
    load: () => withEncoder(async () => (await import('./model.ts')).modelCommands),
  },
  {
    name: 'mcp',
    summary: 'Serve agents on this machine over the Model Context Protocol',
    load: async () => (await import('./mcp.ts')).mcp,
  },
  {
    name: 'agents',
    summary: 'Print a guide for the instructions of an agent',
    load: async () => (await import('./agents.ts')).agents,
  },
  {
    name: 'serve',
    summary: 'Run the service',
    load: () => withServer(async () => (await import('./serve.ts')).serve),
  },
  {
    name: 'admin',
    summary: 'Administer a service on its own machine',
    load: () => withServer(async () => (await import('./admin.ts')).admin),
  },
  {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    load: async () => (await import('./completion.ts')).completion(commandEntries),
  },
];

function withServer<T>(load: () => Promise<T>): Promise<T> {
  return optionalPackage('@bindery/server', 'Running a service', load);
}

function withEncoder<T>(load: () => Promise<T>): Promise<T> {
  return optionalPackage('@bindery/encoder', 'Work with models', load);
}
