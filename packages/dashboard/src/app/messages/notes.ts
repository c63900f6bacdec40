import { counted } from '../format.ts';
import { messages } from '../messages.ts';

export const notesMessages = {
  title: messages.titles.notes,
  count: (count: number) => counted(count, 'Note', 'Notes'),
  search: 'Search Notes',
  none: 'No Notes here',
  noneDetail:
    'A Note names something that you work on, such as a task or an idea. It is filed in projects, where Bindrs group it.',
  noneFound: 'No Note matches',
  newTitle: 'New Note',
  name: 'Name',
  make: 'Create Note',
  edit: 'Edit Note',
  save: 'Save',
  remove: 'Delete Note',
  removeTitle: (name: string) => `Delete ${name}?`,
  removeDetail: 'It is removed from all of its projects.',
  places: 'Projects',
  noPlaces: 'Not in any project that you can see.',
  tags: 'Bindrs',
  tagsOf: (project: string) => `Bindrs in ${project}`,
  unfile: 'Remove',
  unfileOf: (project: string) => `Remove from ${project}`,
  unfileTitle: (project: string) => `Remove it from ${project}?`,
  unfileDetail: 'Its Bindrs there are removed.',
  file: 'Add to a project',
  searchProjects: 'Search projects',
  noProjects: 'There is no other project that you can add it to.',
  moreProjects: 'More projects',
  updated: (date: string) => `Updated ${date}`,
} as const;
