import { parse } from 'node:path/posix';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Viewer } from '../../access/viewer.ts';
import type { Context } from '../../context.ts';
import { archiveOf } from '../../doors/archive.ts';
import { doorBodies } from '../../doors/bodies.ts';
import { openAtDoor } from '../../doors/revision.ts';
import { bundleOf } from '../../doors/usd-search/bundle.ts';
import { searchUsd } from '../../doors/usd-search/search.ts';
import { readBodyAs } from '../../http/body.ts';
import { parseNamed } from '../../http/parse-input.ts';
import { viewerOf } from '../../http/viewer.ts';
import { addressOf, pathOf, segmentsOf } from './address.ts';
import { sendArchive } from './send-archive.ts';
import { setRevisionHeaders } from './send-file.ts';
import { askForPassword, type Exchange, viewerAtDoor } from './viewer.ts';

/** Speaks the protocol of NVIDIA's USD Search below `/usdsearch`, which is the host or endpoint of its clients. */
export async function usdSearchViews(app: FastifyInstance, context: Context): Promise<void> {
  await app.register(async (apart) => {
    askForPassword(apart);
    apart.post('/usdsearch/search_hybrid', async (request, reply) => {
      const viewer = await clientOf(context, request);
      const body = await readBodyAs(context.bodies, doorBodies.usdSearch, request, 'json');
      return reply.send(await searchUsd(context, viewer, body, () => reply.raw.destroyed));
    });
    apart.post('/usdsearch/llm_parse/query', async (request, reply) => {
      const viewer = await clientOf(context, request);
      const { query } = await readBodyAs(context.bodies, doorBodies.usdQuery, request, 'json');
      const asked = { hybrid_text_query: query, limit: 1 };
      const { search_metadata } = await searchUsd(context, viewer, asked, () => reply.raw.destroyed);
      const filters = search_metadata.understood.map(({ filter, values }) => ({
        ...{ field: filter, operator: 'in', value: values },
      }));
      // The search understands the same words, so it is sent the whole query.
      return reply.send({
        interpreted_query: { semantic_query: query, filters, unmapped_constraints: [] },
        search_params: { hybrid_text_query: query },
        dropped_filters: [],
        unmapped_constraints: [],
      });
    });
    apart.get('/usdsearch/info/backend/storage', async (request) => {
      await clientOf(context, request);
      const baseUrl = `${context.publicUrl()}/raw/`;
      const backend = { storage_backend_type: 'storage_api', base_url: baseUrl, available: true };
      return { backends: { [baseUrl]: backend } };
    });
    apart.get('/usdsearch/download/asset', (request, reply) => sendBundle({ context, request, reply }));
  });
}

const downloadQuery = z.looseObject({
  asset_url: z.string().max(4_000),
  manifest_only: z.enum(['true', 'false', '1', '0', 'True', 'False']).default('false'),
});

async function sendBundle(exchange: Exchange): Promise<FastifyReply> {
  const { context, request, reply } = exchange;
  const viewer = await clientOf(context, request);
  const { asset_url: url, manifest_only: manifestOnly } = parseNamed(downloadQuery, request.query);
  const [namespace, library = '', ...segments] = segmentsOf(pathBelowRaw(context, url));
  const [name, at] = library?.split(/@(.*)/s) ?? [];
  const revision = await openAtDoor(context, viewer, addressOf(namespace, name, at));
  const path = pathOf(segments);
  const { entries, manifest } = await bundleOf(context, viewer, revision, path);
  setRevisionHeaders(exchange, revision);
  if (/true|1/i.test(manifestOnly)) return reply.send(manifest);
  const text = JSON.stringify(manifest, null, 2);
  const archive = archiveOf(context, revision, [
    ...entries.filter((entry) => entry.name !== MANIFEST),
    { name: MANIFEST, bytes: Buffer.from(text) },
  ]);
  reply.header('x-download-summary', JSON.stringify(manifest.summary));
  return sendArchive(exchange, archive, `${parse(path ?? '').name}.zip`);
}

const MANIFEST = 'manifest.json';

/** The path of a hit, or its address at this service. Nothing else is fetched: it is the path of no library. */
function pathBelowRaw({ publicUrl }: Context, url: string): string {
  const base = `${publicUrl()}/raw/`;
  return url.startsWith(base) ? url.slice(base.length) : url;
}

/**
 * Who asks. The clients send a user name for tokens with something that says where to put one if nobody gave them a token:
 * that is a request without.
 */
function clientOf(context: Context, request: FastifyRequest): Promise<Viewer> {
  const { authorization, 'x-api-key': key } = request.headers;
  if (typeof key === 'string') return viewerAtDoor(context, request, `Bearer ${key}`);
  const [, encoded = ''] = /^Basic +(\S+)/i.exec(authorization ?? '') ?? [];
  const hasNone = /^\$omni-api-token:(?:<.*>)?$/.test(Buffer.from(encoded, 'base64').toString());
  return hasNone ? viewerOf(context, 'public', request) : viewerAtDoor(context, request);
}
