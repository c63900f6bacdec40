import { routes, SEMANTIC_HEADER } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../parts.ts';
import { countLibrariesFacets, searchLibraries } from '../../search/search-libraries.ts';
import { countLibraryFacets, searchLibrary } from '../../search/search-library.ts';
import { serve } from './serve.ts';

export function searchViews(app: FastifyInstance, parts: Parts): void {
  const { search } = routes;

  serve(app, parts, search.searchLibrary, async ({ viewer, params, query, reply }) => {
    const readRequest = () => {
      const { share: _opened, ...request } = query();
      return { ...request, explain: request.explain === 'true' };
    };
    const { reason, total, hits } = await searchLibrary(parts, viewer, params, readRequest);
    reply.header(SEMANTIC_HEADER, reason);
    return { semantic: reason === 'on', total, hits };
  });

  serve(app, parts, search.searchLibraries, async ({ viewer, query, reply }) => {
    const { share: _ignored, ...request } = query();
    const { reason, total, skipped, hits } = await searchLibraries(parts, viewer, {
      ...request,
      explain: request.explain === 'true',
    });
    reply.header(SEMANTIC_HEADER, reason);
    return { semantic: reason === 'on', total, skipped, hits };
  });

  serve(app, parts, search.countLibraryFacets, async ({ viewer, params, query }) => {
    const readRequest = () => {
      const { share: _opened, ...request } = query();
      return request;
    };
    return { facets: await countLibraryFacets(parts, viewer, params, readRequest) };
  });

  serve(app, parts, search.countLibrariesFacets, async ({ viewer, query }) => {
    const { share: _ignored, ...request } = query();
    return { facets: await countLibrariesFacets(parts, viewer, request) };
  });
}
