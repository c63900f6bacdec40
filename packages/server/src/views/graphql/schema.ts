import type { Bindr, BindrChoicePage, ProjectPermissions, User } from '@bindery/contract';
import SchemaBuilder from '@pothos/core';
import { printSchema } from 'graphql';
import type { CatalogShape, GraphqlContext, NodeShape, NoteShape } from './nodes.ts';
import { findNote, noteNodes, queryBindrs, queryCatalog, queryMe } from './resolvers.ts';

const builder = new SchemaBuilder<{
  Context: GraphqlContext;
  Objects: {
    Node: NodeShape;
    Note: NoteShape;
    Bindr: Bindr;
    ProjectPermissions: ProjectPermissions;
    ProjectRights: ProjectPermissions['project'];
    ContentRights: ProjectPermissions['content'];
    ProjectCatalogPage: CatalogShape;
    BindrChoicePage: BindrChoicePage;
    PageInfo: BindrChoicePage['pageInfo'];
    User: User;
  };
}>({});

builder.objectType('Bindr', {
  description: 'A tag-like grouping that a project owns.',
  fields: (t) => ({
    id: t.exposeID('id', { nullable: false }),
    name: t.exposeString('name', { nullable: false }),
    parentId: t.exposeID('parentId', { description: 'The parent Bindr; null at the top.' }),
    projectNodeId: t.exposeID('projectNodeId', {
      nullable: false,
      description: 'The Node of the owning project.',
    }),
  }),
});

builder.objectType('ProjectRights', {
  description: 'What the viewer can do with the project itself.',
  fields: (t) => ({
    read: t.exposeBoolean('read', { nullable: false }),
    update: t.exposeBoolean('update', { nullable: false }),
    delete: t.exposeBoolean('delete', { nullable: false }),
    manageGrants: t.exposeBoolean('manageGrants', { nullable: false }),
  }),
});

builder.objectType('ContentRights', {
  description: 'What the viewer can do with the content of the project.',
  fields: (t) => ({
    read: t.exposeBoolean('read', { nullable: false }),
    create: t.exposeBoolean('create', { nullable: false }),
    delete: t.exposeBoolean('delete', { nullable: false }),
  }),
});

builder.objectType('ProjectPermissions', {
  description: 'The viewer’s role in a project and what follows from it.',
  fields: (t) => ({
    role: t.exposeString('role', { nullable: false, description: 'reader, writer or admin' }),
    project: t.expose('project', { type: 'ProjectRights', nullable: false }),
    content: t.expose('content', { type: 'ContentRights', nullable: false }),
  }),
});

builder.objectType('Node', {
  description: 'A resource in a project, or a project itself.',
  fields: (t) => ({
    id: t.exposeID('id', { nullable: false }),
    name: t.exposeString('name', { nullable: false }),
    path: t.exposeString('path', {
      nullable: false,
      description: 'The folders above, between commas; "," at the root. Never the owner: see projectNodeId.',
    }),
    projectNodeId: t.exposeID('projectNodeId', { nullable: false }),
    project: t.expose('project', { type: 'Node', nullable: false }),
    bindrs: t.expose('bindrs', {
      type: ['Bindr'],
      nullable: false,
      description: 'The Bindrs that tag this Node, not every Bindr of its project.',
    }),
    slug: t.exposeString('slug', { description: 'Projects only.' }),
    displayName: t.exposeString('displayName', { description: 'Projects only.' }),
    permissions: t.expose('permissions', {
      type: 'ProjectPermissions',
      nullable: true,
      description: 'Projects only: what the viewer can do.',
    }),
  }),
});

builder.objectType('Note', {
  fields: (t) => ({
    id: t.exposeID('id', { nullable: false }),
    name: t.exposeString('name', { nullable: false }),
    nodes: t.field({
      type: ['Node'],
      nullable: false,
      description:
        'Where the Note is associated, in projects that the viewer can read. An empty list does not prove that there are no others.',
      resolve: (note, _arguments, context) => noteNodes(context, note),
    }),
  }),
});

builder.objectType('ProjectCatalogPage', {
  fields: (t) => ({
    projects: t.expose('projects', { type: ['Node'], nullable: false }),
    total: t.exposeInt('total', { nullable: false }),
    page: t.exposeInt('page', { nullable: false }),
    pageSize: t.exposeInt('pageSize', { nullable: false }),
    totalPages: t.exposeInt('totalPages', { nullable: false }),
    canCreate: t.exposeBoolean('canCreate', {
      nullable: false,
      description: 'Whether the viewer can create a project in the namespace.',
    }),
  }),
});

builder.objectType('PageInfo', {
  fields: (t) => ({
    endCursor: t.exposeString('endCursor', { description: 'Pass it as `after` for the next page.' }),
    hasNextPage: t.exposeBoolean('hasNextPage', { nullable: false }),
  }),
});

builder.objectType('BindrChoicePage', {
  fields: (t) => ({
    nodes: t.expose('nodes', { type: ['Bindr'], nullable: false }),
    pageInfo: t.expose('pageInfo', { type: 'PageInfo', nullable: false }),
  }),
});

builder.objectType('User', {
  fields: (t) => ({
    id: t.exposeID('id', { nullable: false }),
    userName: t.exposeString('userName', { nullable: false }),
    displayName: t.exposeString('displayName', { nullable: false }),
    email: t.exposeString('email', { nullable: false }),
  }),
});

builder.queryType({
  fields: (t) => ({
    me: t.field({
      type: 'User',
      nullable: true,
      description: 'The signed-in account; null for anonymous callers.',
      resolve: (_root, _arguments, context) => queryMe(context),
    }),
    note: t.field({
      type: 'Note',
      nullable: true,
      description: 'A Note; null if it is missing or hidden from the viewer.',
      args: { namespaceSlug: t.arg.string(), id: t.arg.id() },
      resolve: (_root, input, context) => findNote(context, input),
    }),
    projectCatalog: t.field({
      type: 'ProjectCatalogPage',
      nullable: true,
      description: 'The projects of a namespace that the viewer can read, by display name.',
      args: {
        namespaceSlug: t.arg.string(),
        search: t.arg.string(),
        page: t.arg.int(),
        pageSize: t.arg.int(),
      },
      resolve: (_root, input, context) => queryCatalog(context, input),
    }),
    bindrs: t.field({
      type: 'BindrChoicePage',
      nullable: true,
      description: 'The Bindrs that a picker can offer inside one project, by name.',
      args: { projectId: t.arg.id(), search: t.arg.string(), first: t.arg.int(), after: t.arg.string() },
      resolve: (_root, input, context) => queryBindrs(context, input),
    }),
  }),
});

export const schema = builder.toSchema();

/** Returns the schema as it is committed in the contract. */
export function printedSchema(): string {
  return `${printSchema(schema)}\n`;
}
