import { Readable } from 'node:stream';
import { MANIFEST_HEADER, routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { sendIfNotModified } from '../../http/conditional.ts';
import { serve } from '../../http/serve.ts';
import { readAsset } from '../../libraries/read/assets.ts';
import { detailTag, listTag, manifestTag } from '../../libraries/read/entity-tags.ts';
import { presignFiles, readManifest, readReadme } from '../../libraries/read/files.ts';
import { describeDetail, describeSummary, readLibrary, readLog } from '../../libraries/read/library.ts';
import { type ListedLibrary, listAllLibraries, listLibraries } from '../../libraries/read/lists.ts';
import { revisionAddress } from './revision-address.ts';
import { sendList } from './send-list.ts';

/** The routes that read libraries: lists, detail, assets, manifest, presigned URLs of files. */
export function libraryReadViews(app: FastifyInstance, context: Context): void {
  const { libraries } = routes;

  serve(app, context, libraries.listAllLibraries, async ({ viewer, query, request, reply }) => {
    const { states, libraries } = await listAllLibraries(context, viewer, query().limit);
    if (sendIfNotModified(request, reply, listTag(context, states, false))) return reply;
    return sendList(reply, {}, 'libraries', states.length, describeAll(libraries, query().srcset === 'true'));
  });

  serve(app, context, libraries.listLibraries, async ({ viewer, params, query, request, reply }) => {
    const { viewerIsMember, states, libraries } = await listLibraries(context, viewer, params, query);
    if (sendIfNotModified(request, reply, listTag(context, states, viewerIsMember))) return reply;
    return sendList(
      reply,
      { viewerIsMember },
      'libraries',
      states.length,
      describeAll(libraries, query().srcset === 'true'),
    );
  });

  serve(app, context, libraries.getLibrary, async ({ viewer, params, query, request, reply }) => {
    const library = await readLibrary(context, viewer, revisionAddress(params, request), query);
    reply.header(MANIFEST_HEADER, library.row.manifest_sha256);
    if (query().readme === 'true')
      return { ...describeDetail(context, library), readme: await readReadme(context, library.row) };
    if (sendIfNotModified(request, reply, detailTag(context, library))) return reply;
    return describeDetail(context, library);
  });

  serve(app, context, libraries.getLog, async ({ viewer, params, query }) => ({
    registers: await readLog(context, viewer, params, query),
  }));

  serve(app, context, libraries.getAsset, async ({ viewer, params, query, request, reply }) => {
    const address = revisionAddress(params, request);
    const { asset, fileCount, files } = await readAsset(context, viewer, address, query);
    return sendList(reply, asset, 'files', fileCount, files);
  });

  serve(app, context, libraries.getManifest, async ({ viewer, params, query, request, reply }) => {
    const manifest = await readManifest(context, viewer, revisionAddress(params, request), query);
    if (sendIfNotModified(request, reply, manifestTag(manifest.row))) return reply;
    const { row, stream } =
      request.method === 'HEAD' ? { row: manifest.row, stream: Readable.from([]) } : await manifest.open();
    reply.headers({
      etag: manifestTag(row),
      'content-type': 'application/json; charset=utf-8',
      'content-length': row.manifest_size,
    });
    return reply.send(stream);
  });

  serve(app, context, libraries.presignFiles, async ({ viewer, params, query, body, request, reply }) => {
    const address = revisionAddress(params, request);
    const { ttlSeconds, files } = await presignFiles(context, viewer, address, () => {
      query();
      return body();
    });
    return sendList(reply, { ttlSeconds }, 'files', files.length, files);
  });

  async function* describeAll(listed: AsyncIterable<ListedLibrary>, withSrcset: boolean) {
    for await (const library of listed) yield describeSummary(context, library, withSrcset);
  }
}
