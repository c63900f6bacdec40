import type { Project } from '@bindery/contract';
import { NAMESPACE_SLUG, PROJECT_SLUG, routes } from '@bindery/contract/wire';
import { argument, type CommandGroup, defineCommand, flag, oneOf, option, text } from '../command.ts';
import type { Output } from '../output/output.ts';
import { sanitizeLine } from '../output/text.ts';
import { nameParser, projectAddress } from '../parsers.ts';
import { pageInputs, reportPage } from './page-inputs.ts';

const { projects } = routes;
const address = argument('<ns/project>', 'the project', projectAddress);
const visibility = option('<visibility>', 'private or public', oneOf('private', 'public'));
const description = option('<text>', 'what it is for', text);

const list = defineCommand({
  name: 'list',
  summary: 'List the projects of a namespace that you can read',
  inputs: {
    namespace: argument('<namespace>', 'the namespace', nameParser(NAMESPACE_SLUG)),
    ...pageInputs('projects'),
  },
  examples: [['bindery project list acme --search kitchen', 'projects with "kitchen" in the name']],
  run: async ({ namespace, search, page, pageSize }, context) =>
    (await context.client()).call(projects.listProjects, {
      params: { namespace },
      query: { page, pageSize, ...(search === undefined ? {} : { search }) },
    }),
  render(catalog, output) {
    output.table({
      headings: ['slug', 'name', 'your role'],
      rows: catalog.projects.map(({ slug, displayName, permissions }) => [
        slug,
        sanitizeLine(displayName),
        permissions.role,
      ]),
    });
    reportPage(catalog, output);
  },
});

const create = defineCommand({
  name: 'create',
  summary: 'Create a project; you become its admin',
  inputs: {
    namespace: argument('<namespace>', 'the namespace', nameParser(NAMESPACE_SLUG)),
    name: argument('<name>', 'its display name', text),
    slug: option('<slug>', 'its short name; by default derived from the name', nameParser(PROJECT_SLUG)),
    description,
    visibility,
  },
  examples: [['bindery project create acme "Kitchen scenes"', 'creates acme/kitchen-scenes']],
  run: async ({ namespace, name, slug, description, visibility }, context) =>
    (await context.signedInClient()).call(projects.createProject, {
      params: { namespace },
      body: { displayName: name, slug, description, visibility },
    }),
  render: ({ namespace, slug }, output) => output.line(`Created project ${namespace}/${slug}.`),
});

const info = defineCommand({
  name: 'info',
  aliases: ['show', 'inspect'],
  summary: 'Show one project',
  inputs: { project: address },
  examples: [['bindery project info acme/kitchen-scenes', 'its details and what you can do']],
  run: async ({ project }, context) =>
    (await context.client()).call(projects.getProject, { params: project }),
  render: showProject,
});

const update = defineCommand({
  name: 'update',
  summary: 'Change name, description or visibility',
  inputs: { project: address, name: option('<text>', 'its display name', text), description, visibility },
  examples: [['bindery project update acme/kitchen-scenes --visibility public', 'everybody can read it']],
  run: async ({ project, name, description, visibility }, context) =>
    (await context.signedInClient()).call(projects.patchProject, {
      params: project,
      body: { displayName: name, description, visibility },
    }),
  render: showProject,
});

const remove = defineCommand({
  name: 'delete',
  summary: 'Delete a project with its Bindrs; its Notes stay',
  inputs: { project: address, yes: flag('skip the confirmation prompt', { short: '-y' }) },
  examples: [['bindery project delete acme/kitchen-scenes', 'for its admins']],
  async run({ project, yes }, context) {
    const client = await context.signedInClient();
    const name = `${project.namespace}/${project.projectSlug}`;
    await context.confirm(`Delete project ${name} with its Bindrs?`, { yes, nonInteractive: 'refuse' });
    await client.call(projects.deleteProject, { params: project });
    return { ...project, state: 'deleted' };
  },
  render: ({ namespace, projectSlug }, output) => output.line(`Deleted project ${namespace}/${projectSlug}.`),
});

const grants = defineCommand({
  name: 'grants',
  summary: 'List the grants of a project',
  inputs: { project: address },
  examples: [['bindery project grants acme/kitchen-scenes', 'for its admins']],
  run: async ({ project }, context) =>
    (await context.signedInClient()).call(projects.listGrants, { params: project }),
  render: ({ grants }, output) =>
    output.table({
      headings: ['user', 'role'],
      rows: grants.map(({ userName, role }) => [sanitizeLine(userName), role]),
    }),
});

const grant = defineCommand({
  name: 'grant',
  summary: 'Give somebody a role in a project',
  inputs: {
    project: address,
    user: argument('<user>', 'the user name', nameParser(NAMESPACE_SLUG)),
    role: argument('<role>', 'reader, writer or admin', oneOf('reader', 'writer', 'admin')),
  },
  examples: [['bindery project grant acme/kitchen-scenes bob writer', 'bob can file Notes there']],
  run: async ({ project, user, role }, context) =>
    (await context.signedInClient()).call(projects.putGrant, {
      params: { ...project, userName: user },
      body: { role },
    }),
  render: ({ userName, role }, output) => output.line(`${sanitizeLine(userName)} now has the role ${role}.`),
});

const revoke = defineCommand({
  name: 'revoke',
  summary: 'Revoke a grant',
  inputs: { project: address, user: argument('<user>', 'the user name', nameParser(NAMESPACE_SLUG)) },
  examples: [['bindery project revoke acme/kitchen-scenes bob', 'bob no longer has a grant there']],
  async run({ project, user }, context) {
    await (await context.signedInClient()).call(projects.removeGrant, {
      params: { ...project, userName: user },
    });
    return { ...project, userName: user, state: 'revoked' };
  },
  render: ({ userName }, output) => output.line(`${userName} no longer has a grant.`),
});

export const project: CommandGroup = {
  name: 'project',
  summary: 'List, create and share projects',
  commands: [list, create, info, update, remove, grants, grant, revoke],
};

function showProject(project: Project, output: Output): void {
  const { content, project: rights, role } = project.permissions;
  output.fields([
    ['project', `${project.namespace}/${project.slug}`],
    ['name', sanitizeLine(project.displayName)],
    ['description', sanitizeLine(project.description)],
    ['visibility', project.visibility],
    ['your role', role],
    [
      'you may',
      [content.create ? 'add content' : 'read', ...(rights.update ? ['change it'] : [])].join(', '),
    ],
    ['id', project.id],
    ['created', project.createdAt],
    ['changed', project.updatedAt],
  ]);
}
