import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { notFound, ServiceError } from '../errors.ts';

interface ThumbnailRequest {
  Params: { storeId: string; sha256: string; file: string };
  Querystring: Record<string, unknown>;
}

/**
 * A picture is only displayed and does nothing by itself. Its URL is the only permission needed, so pages of any origin
 * may use it, like presigned URLs.
 */
const HEADERS = {
  'cache-control': 'private, max-age=31536000, immutable',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
};

/** In place of the width, for the turntable of a drawn thumbnail. */
const TURNTABLE = 'turntable.webp';

/** Serves small thumbnails, by the URLs that lists of assets and libraries contain with `srcset=true`. */
export function thumbnailViews(app: FastifyInstance, { thumbnailUrls, smallThumbnails }: Context): void {
  app.get<ThumbnailRequest>('/thumbnails/:storeId/:sha256/:file', async ({ params, query }, reply) => {
    const { storeId, sha256, file } = params;
    const verdict = thumbnailUrls.verify({
      storeId,
      sha256,
      expires: String(query.expires),
      signature: String(query.signature),
    });
    if (verdict === 'forged')
      throw new ServiceError('invalid_signature', 'The signature of the URL is not valid.');
    if (verdict === 'expired')
      throw new ServiceError('url_expired', 'The URL has expired. Ask for a new one.');
    if (file === TURNTABLE) {
      const turntable = await smallThumbnails.readTurntable({ storeId, sha256 });
      return reply.headers(HEADERS).type('image/webp').send(turntable);
    }
    const width = /^([1-9]\d{0,3})\.webp$/.exec(file)?.[1];
    if (width === undefined) throw notFound();
    const webp = await smallThumbnails.read({ storeId, sha256, width: Number(width) });
    return reply.headers(HEADERS).type('image/webp').send(webp);
  });
}
