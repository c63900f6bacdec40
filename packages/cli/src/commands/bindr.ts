import type { LegacyBindr, LegacyBindrTree } from '@bindery/contract';
import { NODE_ID, routes } from '@bindery/contract/wire';
import { argument, type CommandGroup, defineCommand, flag, option, text } from '../command.ts';
import { sanitizeLine } from '../output/text.ts';
import { nameParser, projectAddress } from '../parsers.ts';

const { bindrs } = routes;
const address = argument('<ns/project>', 'the project', projectAddress);
const id = nameParser(NODE_ID);
const bindrId = argument('<bindr>', 'the id of the Bindr', id);
const parent = option('<bindr>', 'the id of its parent Bindr; by default none', id);
const nodeArgument = argument('<node>', 'the id of the Node, as "bindery note info" prints it', id);

const list = defineCommand({
  name: 'list',
  summary: 'Show the tree of Bindrs of a project',
  inputs: { project: address },
  examples: [['bindery bindr list acme/kitchen', 'every Bindr with its id']],
  run: async ({ project }, context) =>
    (await (await context.client()).call(bindrs.listBindrs, { params: project })) as LegacyBindrTree,
  render(tree, output) {
    const rows: string[][] = [];
    const add = (bindr: LegacyBindr, depth: number) => {
      rows.push([bindr.id, `${'  '.repeat(depth)}${sanitizeLine(bindr.name)}`]);
      for (const child of bindr.children) add(child, depth + 1);
    };
    for (const bindr of tree.bindrs) add(bindr, 0);
    output.table({ headings: ['bindr', 'name'], rows });
  },
});

const create = defineCommand({
  name: 'create',
  summary: 'Create a Bindr',
  inputs: { project: address, name: argument('<name>', 'its name', text), parent },
  examples: [['bindery bindr create acme/kitchen cups', 'a tag for Nodes of the project']],
  run: async ({ project, name, parent }, context) =>
    (await context.signedInClient()).call(bindrs.createBindr, {
      params: project,
      body: { name, parentId: parent },
    }),
  render: ({ id, name }, output) => output.line(`Created Bindr "${sanitizeLine(name)}" (${id}).`),
});

const rename = defineCommand({
  name: 'rename',
  summary: 'Rename a Bindr',
  inputs: { project: address, bindr: bindrId, name: argument('<name>', 'the new name', text) },
  examples: [['bindery bindr rename acme/kitchen 3f2a… mugs', 'what it tags stays tagged']],
  run: async ({ project, bindr, name }, context) =>
    (await context.signedInClient()).call(bindrs.patchBindr, {
      params: { ...project, bindrId: bindr },
      body: { name },
    }),
  render: ({ name }, output) => output.line(`Renamed the Bindr to "${sanitizeLine(name)}".`),
});

const move = defineCommand({
  name: 'move',
  summary: 'Move a Bindr below another one, or to the top',
  inputs: { project: address, bindr: bindrId, parent },
  examples: [
    ['bindery bindr move acme/kitchen 3f2a… --parent 77c1…', 'below another Bindr'],
    ['bindery bindr move acme/kitchen 3f2a…', 'to the top'],
  ],
  run: async ({ project, bindr, parent = null }, context) =>
    (await context.signedInClient()).call(bindrs.patchBindr, {
      params: { ...project, bindrId: bindr },
      body: { parentId: parent },
    }),
  render: ({ name, parentId }, output) =>
    output.line(`"${sanitizeLine(name)}" is ${parentId === null ? 'at the top' : `below ${parentId}`} now.`),
});

const remove = defineCommand({
  name: 'delete',
  summary: 'Delete a Bindr; what it tags stays',
  inputs: {
    project: address,
    bindr: bindrId,
    recursive: flag('with the Bindrs below it'),
    yes: flag('skip the confirmation prompt', { short: '-y' }),
  },
  examples: [['bindery bindr delete acme/kitchen 3f2a…', 'refused while it has children']],
  async run({ project, bindr, recursive, yes }, context) {
    const client = await context.signedInClient();
    await context.confirm(`Delete Bindr ${bindr}?`, { yes, nonInteractive: 'refuse' });
    await client.call(bindrs.deleteBindr, {
      params: { ...project, bindrId: bindr },
      query: { recursive: recursive ? 'true' : 'false' },
    });
    return { ...project, bindrId: bindr, state: 'deleted' };
  },
  render: ({ bindrId }, output) => output.line(`Deleted Bindr ${bindrId}.`),
});

const tag = defineCommand({
  name: 'tag',
  summary: 'Tag a Node with a Bindr of its project',
  inputs: { project: address, bindr: bindrId, node: nodeArgument },
  examples: [['bindery bindr tag acme/kitchen 3f2a… 9d40…', 'the Node carries the Bindr']],
  run: async ({ project, bindr, node }, context) =>
    (await context.signedInClient()).call(bindrs.tagNode, {
      params: { ...project, bindrId: bindr, nodeId: node },
    }),
  render: ({ bindrId, nodeId }, output) => output.line(`Bindr ${bindrId} now tags Node ${nodeId}.`),
});

const untag = defineCommand({
  name: 'untag',
  summary: 'Remove a Bindr from a Node',
  inputs: { project: address, bindr: bindrId, node: nodeArgument },
  examples: [['bindery bindr untag acme/kitchen 3f2a… 9d40…', 'the Node itself stays']],
  async run({ project, bindr, node }, context) {
    const params = { ...project, bindrId: bindr, nodeId: node };
    await (await context.signedInClient()).call(bindrs.untagNode, { params });
    return { bindrId: bindr, nodeId: node, state: 'untagged' };
  },
  render: ({ bindrId, nodeId }, output) => output.line(`Bindr ${bindrId} no longer tags Node ${nodeId}.`),
});

export const bindr: CommandGroup = {
  name: 'bindr',
  summary: 'List, create and attach the tags of a project',
  commands: [list, create, rename, move, remove, tag, untag],
};
