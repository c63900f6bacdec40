import type { Note, NoteNodes } from '@bindery/contract';
import { NAMESPACE_SLUG, PROJECT_SLUG, routes } from '@bindery/contract/wire';
import {
  argument,
  type CommandGroup,
  defineCommand,
  flag,
  integer,
  oneOf,
  option,
  optionWithDefault,
  repeatedOption,
  text,
} from '../command.ts';
import { sanitizeLine } from '../output/text.ts';
import { nameParser, noteAddress } from '../parsers.ts';
import { reportPage } from './page-inputs.ts';

const { notes } = routes;
const address = argument('<ns/note>', 'the namespace and the id of the Note', noteAddress);
const slug = nameParser(PROJECT_SLUG);

const list = defineCommand({
  name: 'list',
  summary: 'List the Notes of a namespace that you can read',
  inputs: {
    namespace: argument('<namespace>', 'the namespace', nameParser(NAMESPACE_SLUG)),
    search: option('<text>', 'part of the name', text),
    page: optionWithDefault('<n>', 'which page', 1, integer({ min: 1 })),
  },
  examples: [['bindery note list acme --search mug', 'Notes with "mug" in the name']],
  run: async ({ namespace, search, page }, context) =>
    (await context.client()).call(notes.listNotes, {
      params: { namespace },
      query: { page, ...(search === undefined ? {} : { search }) },
    }),
  render(found, output) {
    output.table({
      headings: ['note', 'name', 'visibility', 'changed'],
      rows: found.notes.map((note) => [
        `${note.namespace}/${note.id}`,
        sanitizeLine(note.name),
        note.visibility,
        note.updatedAt,
      ]),
    });
    reportPage(found, output);
  },
});

const create = defineCommand({
  name: 'create',
  summary: 'Create a Note',
  inputs: {
    namespace: argument('<namespace>', 'the namespace', nameParser(NAMESPACE_SLUG)),
    name: argument('<name>', 'its name', text),
    project: repeatedOption('<slug>', 'a project to file it in; can be repeated', slug),
    visibility: option('<visibility>', 'private or public', oneOf('private', 'public')),
  },
  examples: [['bindery note create acme "Handle too thin" --project kitchen', 'created and filed at once']],
  run: async ({ namespace, name, project, visibility }, context) =>
    (await context.signedInClient()).call(notes.createNote, {
      params: { namespace },
      body: { name, visibility, ...(project.length > 0 ? { projects: project } : {}) },
    }),
  render: (note, output) => output.line(`Created Note ${note.namespace}/${note.id}.`),
});

const info = defineCommand({
  name: 'info',
  aliases: ['show', 'inspect'],
  summary: 'Show a Note and where it is filed',
  inputs: { note: address },
  examples: [['bindery note info acme/0b9f…', 'its details, projects and Bindrs']],
  async run({ note }, context): Promise<Note & NoteNodes> {
    const client = await context.client();
    const found = await client.call(notes.getNote, { params: note });
    const filed = await client.call(notes.listNoteProjects, { params: note, query: { view: 'nodes' } });
    return { ...found, ...(filed as NoteNodes) };
  },
  render(note, output) {
    output.fields([
      ['note', `${note.namespace}/${note.id}`],
      ['name', sanitizeLine(note.name)],
      ['visibility', note.visibility],
      ['you may', note.viewerCanWrite ? 'read and change it' : 'read it'],
      ['created', note.createdAt],
      ['changed', note.updatedAt],
    ]);
    output.table({
      headings: ['filed in', 'node', 'bindrs'],
      rows: note.nodes.map(({ id, project, bindrs }) => [
        `${note.namespace}/${project.slug}`,
        id,
        bindrs.map(({ name }) => sanitizeLine(name)).join(', ') || '-',
      ]),
    });
  },
});

const rename = defineCommand({
  name: 'rename',
  summary: 'Rename a Note',
  inputs: { note: address, name: argument('<name>', 'the new name', text) },
  examples: [['bindery note rename acme/0b9f… "Handle fixed"', 'its id and places stay']],
  run: async ({ note, name }, context) =>
    (await context.signedInClient()).call(notes.patchNote, { params: note, body: { name } }),
  render: ({ name }, output) => output.line(`Renamed the Note to "${sanitizeLine(name)}".`),
});

const remove = defineCommand({
  name: 'delete',
  summary: 'Delete a Note from everywhere it is filed',
  inputs: { note: address, yes: flag('skip the confirmation prompt', { short: '-y' }) },
  examples: [['bindery note delete acme/0b9f…', 'there is no Trash for Notes']],
  async run({ note, yes }, context) {
    const client = await context.signedInClient();
    await context.confirm(`Permanently delete Note ${note.namespace}/${note.noteId}?`, {
      yes,
      nonInteractive: 'refuse',
    });
    await client.call(notes.deleteNote, { params: note });
    return { ...note, state: 'deleted' };
  },
  render: ({ namespace, noteId }, output) => output.line(`Deleted Note ${namespace}/${noteId}.`),
});

const projectArgument = argument('<project>', 'the slug of a project of the namespace', slug);

const file = defineCommand({
  name: 'file',
  summary: 'File a Note in a project',
  inputs: { note: address, project: projectArgument },
  examples: [['bindery note file acme/0b9f… kitchen', 'creates its Node in acme/kitchen']],
  run: async ({ note, project }, context) =>
    (await context.signedInClient()).call(notes.fileNote, { params: { ...note, projectSlug: project } }),
  render: ({ id, project }, output) => output.line(`Filed in ${project.slug} as Node ${id}.`),
});

const unfile = defineCommand({
  name: 'unfile',
  summary: 'Remove a Note from a project; it stays in its last one',
  inputs: { note: address, project: projectArgument },
  examples: [['bindery note unfile acme/0b9f… kitchen', 'the Note itself stays']],
  async run({ note, project }, context) {
    await (await context.signedInClient()).call(notes.unfileNote, {
      params: { ...note, projectSlug: project },
    });
    return { ...note, projectSlug: project, state: 'unfiled' };
  },
  render: ({ projectSlug }, output) => output.line(`The Note is no longer filed in ${projectSlug}.`),
});

export const note: CommandGroup = {
  name: 'note',
  summary: 'List, create and file Notes',
  commands: [list, create, info, rename, remove, file, unfile],
};
