import { counted } from '../format.ts';
import { messages } from '../messages.ts';

export const projectsMessages = {
  title: messages.titles.projects,
  count: (count: number) => counted(count, 'project', 'projects'),
  search: 'Search projects',
  none: 'No projects here',
  noneDetail:
    'A project collects Notes about one piece of work, and says who may see and change them. Bindrs are tags in a tree that group its Notes.',
  noneFound: 'No project matches',
  newTitle: 'New project',
  name: 'Name',
  description: 'Description',
  make: 'Create project',
  roleIs: (role: string) => `Your role: ${role}`,
  edit: 'Edit project',
  save: 'Save',
  remove: 'Delete project',
  removeTitle: (name: string) => `Delete ${name}?`,
  removeDetail: 'Its Bindrs go with it. Its Notes stay, in their other projects or in none.',
  grants: {
    title: 'Members',
    detail:
      'Roles in this project only. Members of the namespace can read it without one, and its owners are its admins.',
    none: 'No roles have been granted.',
    roles: { reader: 'reader', writer: 'writer', admin: 'admin' },
    choices: {
      reader: 'reader: sees it',
      writer: 'writer: changes Notes and Bindrs',
      admin: 'admin: also edits it and its members',
    },
    noUser: 'There is no account with this name.',
    remove: 'Revoke',
    removeOf: (userName: string) => `Revoke the role of ${userName}`,
    removeTitle: (userName: string) => `Revoke ${userName}’s role?`,
    removeDetail: 'Whatever else they can see and do stays the same.',
  },
} as const;
