import { routes, SEMANTIC_HEADER } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { serveStepwise } from '../../http/serve.ts';
import { complete } from '../../search/complete.ts';
import { requestOf } from '../../search/request.ts';
import { searchEverything } from '../../search/search-everything.ts';
import { countLibrariesFacets, searchLibraries } from '../../search/search-libraries.ts';
import { countLibraryFacets, searchLibrary } from '../../search/search-library.ts';
import { revisionAddress } from './unparsed-query.ts';

export function searchViews(app: FastifyInstance, context: Context): void {
  const { search } = routes;

  serveStepwise(app, context, search.searchLibrary, async ({ viewer, params, query, request, reply }) => {
    const readRequest = () => {
      const { share: _opened, release: _read, ...request } = query();
      return requestOf(request);
    };
    const { reason, ...found } = await searchLibrary(
      context,
      viewer,
      revisionAddress(params, request),
      readRequest,
    );
    reply.header(SEMANTIC_HEADER, reason);
    return { semantic: reason === 'on', ...found };
  });

  serveStepwise(app, context, search.searchLibraries, async ({ viewer, query, reply }) => {
    const { share: _ignored, libraries, ...request } = query();
    const { reason, ...found } = await searchLibraries(context, viewer, { ...requestOf(request), libraries });
    reply.header(SEMANTIC_HEADER, reason);
    return { semantic: reason === 'on', ...found };
  });

  serveStepwise(app, context, search.searchEverything, async ({ viewer, query, reply }) => {
    const { q, limit, offset, explain, srcset, sort, facets, ...filters } = query();
    const { reason, ...found } = await searchEverything(context, viewer, {
      q,
      limit,
      offset,
      explain: explain === 'true',
      srcset: srcset === 'true',
      filters,
      sort,
      facets: facets === 'true',
    });
    reply.header(SEMANTIC_HEADER, reason);
    return { semantic: reason === 'on', ...found };
  });

  serveStepwise(app, context, search.complete, ({ viewer, query }) => complete(context, viewer, query()));

  serveStepwise(app, context, search.countLibraryFacets, async ({ viewer, params, query, request }) => {
    const address = revisionAddress(params, request);
    const readRequest = () => {
      const { share: _opened, release: _read, ...request } = query();
      return request;
    };
    return { facets: await countLibraryFacets(context, viewer, address, readRequest) };
  });

  serveStepwise(app, context, search.countLibrariesFacets, async ({ viewer, query }) => {
    const { share: _ignored, ...request } = query();
    return { facets: await countLibrariesFacets(context, viewer, request) };
  });
}
