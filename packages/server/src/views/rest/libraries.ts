import { Readable } from 'node:stream';
import { MANIFEST_HEADER, MANIFEST_SIZE_HEADER, routes, SEMANTIC_HEADER } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import {
  loadLibrary,
  loadLibraryForWrite,
  loadPublishTarget,
  type ReadableLibrary,
} from '../../access/libraries.ts';
import { loadNamespace } from '../../access/namespaces.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Context } from '../../context.ts';
import { invalidParameter } from '../../errors.ts';
import { refuseIfMatch, sendIfNotModified } from '../../http/entity-tags.ts';
import { anyone, serve } from '../../http/serve.ts';
import { patchLibrary } from '../../libraries/lifecycle/patch.ts';
import { deleteLibrary, purgeLibrary, restoreLibrary } from '../../libraries/lifecycle/trash.ts';
import { authorizeUploads } from '../../libraries/publish/authorize.ts';
import { completeUpload } from '../../libraries/publish/complete.ts';
import { abortUpload, loadUpload } from '../../libraries/publish/multipart.ts';
import { registerLibrary } from '../../libraries/publish/register.ts';
import { certify, loadAsset, readAsset, readCertificates } from '../../libraries/read/assets.ts';
import { loadCompared, pageOfChanges } from '../../libraries/read/changes.ts';
import { openManifest, presignFiles, readReadme } from '../../libraries/read/files.ts';
import {
  describeDetail,
  describeSummary,
  detailTag,
  listTag,
  manifestTag,
} from '../../libraries/read/library.ts';
import { type ListedLibrary, listAllLibraries, listLibraries } from '../../libraries/read/lists.ts';
import { loadRevision, readHistory, readLog } from '../../libraries/read/revisions.ts';
import { createRelease, deleteRelease } from '../../libraries/releases/change.ts';
import { listReleases, previewReleaseDeletion, readRelease } from '../../libraries/releases/read.ts';
import { addSignature, readSignatures } from '../../libraries/releases/signatures.ts';
import { countUses, isFavourite, setFavourite, usesOf } from '../../libraries/use/counts.ts';
import { keepWhileRegistering } from '../../limits/connections.ts';
import { semanticReasonOf } from '../../search/by-vector.ts';
import { sendList } from './send-list.ts';
import { earlierAddress, numberedAddress, revisionAddress } from './unparsed-query.ts';

/** The routes that read libraries: lists, detail, assets, manifest, presigned URLs of files. */
export function libraryReadViews(app: FastifyInstance, context: Context): void {
  const { libraries } = routes;

  serve(app, context, libraries.listAllLibraries, {
    access: anyone,
    async run(context, { viewer, query, request, reply }) {
      const { states, libraries, total } = await listAllLibraries(context, viewer, query);
      if (sendIfNotModified(request, reply, await listTag(context, states, total))) return reply;
      const head = query.uses === 'true' ? { total } : {};
      return sendList(reply, head, 'libraries', states.length, describeAll(libraries, query));
    },
  });

  serve(app, context, libraries.listLibraries, {
    access: ({ db }, viewer, { namespace }) => loadNamespace(db, viewer, namespace),
    async run(context, { viewer, target, query, request, reply }) {
      const deleted = query.deleted === 'true';
      const { viewerIsMember, states, libraries } = await listLibraries(context, viewer, target, { deleted });
      if (sendIfNotModified(request, reply, await listTag(context, states, viewerIsMember))) return reply;
      const summaries = describeAll(libraries, query);
      return sendList(reply, { viewerIsMember }, 'libraries', states.length, summaries);
    },
  });

  serve(app, context, libraries.getLibrary, {
    access: ({ db }, viewer, library, { request }) =>
      loadLibrary(db, viewer, revisionAddress(library, request)),
    async run(context, { viewer, target, query, request, reply }) {
      reply.header(MANIFEST_HEADER, target.row.manifest_sha256);
      reply.header(MANIFEST_SIZE_HEADER, target.row.manifest_size);
      reply.header(SEMANTIC_HEADER, semanticReasonOf(context, target.row));
      const used = query.uses === 'true' ? await describeUse(context, viewer, target) : {};
      const detail = { ...describeDetail(context, target), ...used };
      if (query.readme === 'true') return { ...detail, readme: await readReadme(context, target.row) };
      return sendIfNotModified(request, reply, detailTag(context, target, used)) ? reply : detail;
    },
  });

  serve(app, context, libraries.getLog, {
    access: ({ db }, viewer, library) => loadLibrary(db, viewer, library),
    run: async (context, { target }) => ({ registers: await readLog(context, target) }),
  });

  serve(app, context, libraries.getHistory, {
    access: ({ db }, viewer, library) => loadLibraryForWrite(db, viewer, library),
    run: (context, { target }) => readHistory(context, target),
  });

  serve(app, context, libraries.getAsset, {
    access: (context, viewer, asset, { request }) =>
      loadAsset(context, viewer, numberedAddress(asset, request)),
    async run(context, { target, query, reply }) {
      reply.header(MANIFEST_HEADER, target.row.manifest_sha256);
      const { asset, fileCount, files } = readAsset(context, target, query);
      const uses = query.uses === 'true' ? await usesOf(context, target.row.store_id, asset.id) : {};
      const certified =
        query.certificates === 'true' ? { certificates: await readCertificates(context, target) } : {};
      return sendList(reply, { ...asset, ...certified, ...uses }, 'files', fileCount, files);
    },
  });

  serve(app, context, libraries.certifyAsset, {
    async access(context, viewer, asset, { request }) {
      await loadLibraryForWrite(context.db, viewer, asset);
      return loadAsset(context, viewer, numberedAddress(asset, request));
    },
    run: (context, { viewer, target }) => certify(context, viewer, target),
  });

  serve(app, context, libraries.getManifest, {
    access: (context, viewer, library, { request }) =>
      loadRevision(context, viewer, numberedAddress(library, request)),
    async run(context, { target, request, reply }) {
      if (sendIfNotModified(request, reply, manifestTag(target.row))) return reply;
      const { row, stream } =
        request.method === 'HEAD'
          ? { row: target.row, stream: Readable.from([]) }
          : await openManifest(context, target.row);
      reply.headers({
        etag: manifestTag(row),
        'content-type': 'application/json; charset=utf-8',
        'content-length': row.manifest_size,
      });
      return reply.send(stream);
    },
  });

  serve(app, context, libraries.listChanges, {
    access: (context, viewer, library, { request }) =>
      loadCompared(context, viewer, earlierAddress(library, request), numberedAddress(library, request)),
    async run(_, { target, query, reply }) {
      if (query.from === undefined && query.fromRelease === undefined)
        throw invalidParameter('from', 'from: the number of the earlier revision is needed, or fromRelease.');
      const { count, changes, ...page } = await pageOfChanges(target, query);
      return sendList(reply, page, 'changes', count, changes);
    },
  });

  serve(app, context, libraries.presignFiles, {
    access: (context, viewer, library, { request }) =>
      loadRevision(context, viewer, numberedAddress(library, request)),
    async run(context, { target, body, reply }) {
      const { ttlSeconds, files } = await presignFiles(context, target.row, body);
      return sendList(reply, { ttlSeconds }, 'files', files.length, files);
    },
  });

  async function* describeAll(
    listed: AsyncIterable<ListedLibrary>,
    { srcset, uses }: { srcset: 'true' | 'false'; uses: 'true' | 'false' },
  ) {
    for await (const library of listed) {
      const { isFavourite, downloads, usedBy } = library;
      const counts = context.useCounter.isOn ? { downloads, usedBy } : {};
      const summary = describeSummary(context, library, srcset === 'true');
      yield uses === 'true' ? { ...summary, ...counts, isFavourite } : summary;
    }
  }
}

async function describeUse(context: Context, viewer: Viewer, library: ReadableLibrary) {
  return {
    ...(await usesOf(context, library.row.store_id)),
    isFavourite: await isFavourite(context, viewer, library),
  };
}

/** What people and projects say of a library without changing it. */
export function libraryUseViews(app: FastifyInstance, context: Context): void {
  const { libraries } = routes;

  for (const [route, isSet] of [
    [libraries.putFavourite, true],
    [libraries.deleteFavourite, false],
  ] as const) {
    serve(app, context, route, {
      access: ({ db }, viewer, library) => loadLibrary(db, viewer, library),
      async run(context, { viewer, target }) {
        await setFavourite(context, viewer, target, isSet);
      },
    });
  }

  serve(app, context, libraries.countUses, {
    access: ({ db }, viewer, library) => loadLibrary(db, viewer, library),
    async run(context, { viewer, target, body }) {
      await countUses(context, viewer, target, body.assets);
    },
  });
}

/** The routes that change libraries: register, patch, delete, restore, purge. */
export function libraryChangeViews(app: FastifyInstance, context: Context): void {
  const { libraries } = routes;

  serve(app, context, libraries.registerLibrary, {
    access: ({ db }, viewer, library) => loadPublishTarget(db, viewer, library),
    async run(context, { viewer, target, params, body, request, reply }) {
      keepWhileRegistering(request);
      const { row, created, warnings } = await registerLibrary(context, viewer, target, body ?? {});
      if (created) reply.status(201);
      const detail = describeDetail(context, { row, namespace: params.namespace, viewerCanManage: true });
      return warnings.length > 0 ? { ...detail, warnings } : detail;
    },
  });

  serve(app, context, libraries.patchLibrary, {
    access: ({ db }, viewer, library) => loadLibraryForWrite(db, viewer, library),
    async run(context, { viewer, target, params, body, request }) {
      refuseIfMatch(request);
      const row = await patchLibrary(context, viewer, target, body);
      return describeDetail(context, { row, namespace: params.namespace, viewerCanManage: true });
    },
  });

  serve(app, context, libraries.deleteLibrary, {
    access: ({ db }, viewer, library) => loadLibraryForWrite(db, viewer, library),
    async run(context, { viewer, params, request }) {
      refuseIfMatch(request);
      const { deletedAt } = await deleteLibrary(context, viewer, params);
      return { ...params, state: 'deleted' as const, deletedAt: new Date(deletedAt).toISOString() };
    },
  });

  serve(app, context, libraries.restoreLibrary, {
    access: ({ db }, viewer, library) => loadLibraryForWrite(db, viewer, library),
    async run(context, { viewer, params }) {
      const row = await restoreLibrary(context, viewer, params);
      return describeDetail(context, { row, namespace: params.namespace, viewerCanManage: true });
    },
  });

  serve(app, context, libraries.restoreRevision, {
    async access({ db }, viewer, library) {
      await loadLibraryForWrite(db, viewer, library);
      return loadPublishTarget(db, viewer, library);
    },
    async run(context, { viewer, target, params, body }) {
      const wanted = { ...body, restored: params.revision };
      const { row, warnings } = await registerLibrary(context, viewer, target, wanted);
      const detail = describeDetail(context, { row, namespace: params.namespace, viewerCanManage: true });
      return warnings.length > 0 ? { ...detail, warnings } : detail;
    },
  });

  serve(app, context, libraries.purgeLibrary, {
    access: ({ db }, viewer, library) => loadLibraryForWrite(db, viewer, library),
    async run(context, { viewer, params }) {
      const { objects, bytes } = await purgeLibrary(context, viewer, params);
      return { ...params, state: 'purged' as const, objectsDeleted: objects, bytesFreed: bytes };
    },
  });
}

export function uploadViews(app: FastifyInstance, context: Context): void {
  const { uploads } = routes;

  serve(app, context, uploads.authorizeUploads, {
    access: ({ db }, viewer, library) => loadPublishTarget(db, viewer, library),
    async run(context, { viewer, target, body, reply }) {
      const { files } = await authorizeUploads(context, viewer, target, body);
      return sendList(reply, {}, 'files', files.length, files);
    },
  });

  serve(app, context, uploads.completeUpload, {
    access: loadUpload,
    run: (context, { target, body }) => completeUpload(context, target, body),
  });

  serve(app, context, uploads.abortUpload, {
    access: loadUpload,
    run: (context, { target }) => abortUpload(context, target),
  });
}

/** The routes for releases, named revisions of a library, and for their signatures. */
export function releaseViews(app: FastifyInstance, context: Context): void {
  const { releases, signatures } = routes;

  serve(app, context, releases.listReleases, {
    access: ({ db }, viewer, library) => loadLibrary(db, viewer, library),
    run: (context, { target, query }) => listReleases(context, target, query),
  });

  serve(app, context, releases.createRelease, {
    access: ({ db }, viewer, library) => loadLibraryForWrite(db, viewer, library),
    run: (context, { viewer, params, body }) => createRelease(context, viewer, params, body),
  });

  serve(app, context, releases.getRelease, {
    access: ({ db }, viewer, { namespace, name }) => loadLibrary(db, viewer, { namespace, name }),
    run: (context, { target, params }) => readRelease(context, target, params.release),
  });

  serve(app, context, releases.previewReleaseDeletion, {
    access: ({ db }, viewer, library) => loadLibraryForWrite(db, viewer, library),
    run: (context, { target, params }) => previewReleaseDeletion(context, target.row, params.release),
  });

  serve(app, context, releases.deleteRelease, {
    access: ({ db }, viewer, library) => loadLibraryForWrite(db, viewer, library),
    run: (context, { viewer, params }) => deleteRelease(context, viewer, params),
  });

  serve(app, context, signatures.listSignatures, {
    access: ({ db }, viewer, library) => loadLibrary(db, viewer, library),
    async run(context, { target, reply }) {
      const entries = await readSignatures(context, target);
      return sendList(reply, {}, 'entries', entries.length, entries);
    },
  });

  serve(app, context, signatures.addSignature, {
    access: ({ db }, viewer, library) => loadLibraryForWrite(db, viewer, library),
    run: (context, { viewer, params, body }) => addSignature(context, viewer, params, body),
  });
}
