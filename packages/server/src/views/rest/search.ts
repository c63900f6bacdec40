import { LIMITS, type ResponseOf, routes, SEMANTIC_HEADER } from '@bindery/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { loadLibrary } from '../../access/libraries.ts';
import type { Context, SearchContext } from '../../context.ts';
import { unavailable } from '../../errors.ts';
import { anyone, serve } from '../../http/serve.ts';
import { loadAsset } from '../../libraries/read/assets.ts';
import { requestOf, type SearchSummary } from '../../search/request.ts';
import {
  complete,
  countLibrariesFacets,
  countLibraryFacets,
  searchEverything,
  searchLibraries,
  searchLibrary,
} from '../../search/search.ts';
import { findSimilar, findSimilarTo } from '../../search/similar/find-similar.ts';
import { revisionAddress } from './unparsed-query.ts';

export function searchViews(app: FastifyInstance, context: Context): void {
  const { search } = routes;

  serve(app, context, search.searchLibrary, {
    access: ({ db }, viewer, library, { request }) =>
      loadLibrary(db, viewer, revisionAddress(library, request)),
    async run(context, { target, query: { share: _opened, release: _read, ...query }, reply }) {
      return answer(reply, await searchLibrary(context, target, requestOf(query)));
    },
  });

  serve(app, context, search.searchLibraries, {
    access: anyone,
    async run(context, { viewer, query: { share: _ignored, libraries, ...query }, reply }) {
      return answer(reply, await searchLibraries(context, viewer, libraries, requestOf(query)));
    },
  });

  serve(app, context, search.searchEverything, {
    access: anyone,
    async run(context, { viewer, query, reply }) {
      const request = requestOf({ ...query, rank: 'relevance' }, () => reply.raw.destroyed);
      return answer(reply, await searchEverything(context, viewer, request));
    },
  });

  serve(app, context, search.findSimilar, {
    access: (context, viewer, asset, { request }) =>
      loadAsset(context, viewer, revisionAddress(asset, request)),
    run: (context, { viewer, target, query: { share: _opened, release: _read, ...query } }) =>
      findSimilar(context, viewer, target, query),
  });

  serve(app, context, search.findSimilarTo, {
    access: anyone,
    run: (context, { viewer, query, body }) => findSimilarTo(context, viewer, body, query),
  });

  serve(app, context, search.complete, {
    access: anyone,
    run: (context, { viewer, query, reply }) =>
      complete(context, viewer, { ...query, hasLeft: () => reply.raw.destroyed }),
  });

  serve(app, context, search.encodeTexts, {
    access: anyone,
    run: (context, { body }) => encodeTexts(context, body.texts),
  });

  serve(app, context, search.countLibraryFacets, {
    access: ({ db }, viewer, library, { request }) =>
      loadLibrary(db, viewer, revisionAddress(library, request)),
    run: async (context, { target, query: { share: _opened, release: _read, ...query } }) => ({
      facets: await countLibraryFacets(context, target, query),
    }),
  });

  serve(app, context, search.countLibrariesFacets, {
    access: anyone,
    run: async (context, { viewer, query: { share: _ignored, libraries, ...query } }) => ({
      facets: await countLibrariesFacets(context, viewer, libraries, query),
    }),
  });
}

/** Sends why vectors were used, or not, in a header. */
function answer<Found extends SearchSummary>(reply: FastifyReply, { reason, ...found }: Found) {
  reply.header(SEMANTIC_HEADER, reason);
  return found;
}

/**
 * Encodes texts with the service's model, for the sidecars of clients that have none; there is no model for them if its
 * vectors have another size. Throws `unavailable` if the model cannot do it just now.
 */
export async function encodeTexts(
  { encoder }: SearchContext,
  texts: readonly string[],
): Promise<ResponseOf<typeof routes.search.encodeTexts>> {
  const { facts } = encoder;
  if (facts !== null && facts.dim !== LIMITS.embedding.dimensions) return { model: null, vectors: [] };
  const encoded = await encoder.encodeTexts(texts);
  if (encoded.ok) return { model: encoded.model, vectors: encoded.vectors.map(toBase64) };
  if (encoded.failure === 'missing') return { model: null, vectors: [] };
  throw unavailable('The model is busy or being loaded. Try again.', 2);
}

function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString('base64');
}
