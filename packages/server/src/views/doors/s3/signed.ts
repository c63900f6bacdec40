import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Viewer } from '../../../access/viewer.ts';
import { findAccessKey } from '../../../accounts/personal-access-tokens.ts';
import type { Context } from '../../../context.ts';
import { requestOrigin } from '../../../http/viewer.ts';
import { hashSecret } from '../../../secrets.ts';
import { ALGORITHM, encode, signatureOf, signingKey, UNSIGNED_PAYLOAD } from '../../../signature-v4.ts';
import { segmentsOf } from '../address.ts';
import { viewerAtDoor } from '../viewer.ts';
import { accessDenied, S3Failure } from './failures.ts';

export type Query = Readonly<Record<string, string>>;

/** What a client says about its signature. */
interface Claim {
  accessKeyId: string;
  /** What follows the access key in its credential: `<day>/<region>/s3/aws4_request`. */
  scope: string;
  /** `20130524T000000Z` */
  time: string;
  signedHeaders: readonly string[];
  signature: string;
  /** What was signed of the query. */
  query: Query;
  payload: string;
  /** The seconds for which a presigned URL can be used; null for a request. */
  expires: number | null;
}

/** Milliseconds by which a client's clock may be wrong. */
const SKEW = 15 * 60_000;

/** Seconds: a week, as at S3. */
const LONGEST = 604_800;

/** Returns who signed a request, or sent a token with it as at other doors. Throws what S3 calls it. */
export async function viewerOfSigned(
  context: Context,
  request: FastifyRequest,
  query: Query,
): Promise<Viewer> {
  const claim = claimOf(request, query);
  if (claim === null) return viewerAtDoor(context, request);
  checkTime(claim, context.clock());
  const key = await findAccessKey(context, claim.accessKeyId);
  if (key === null)
    throw new S3Failure(
      'InvalidAccessKeyId',
      'forbidden',
      'No token has this access key id, or it has expired.',
    );
  if (!isSignedWith(context, request, claim, key.secretAccessKey))
    throw new S3Failure(
      'SignatureDoesNotMatch',
      'forbidden',
      'The signature does not match. Check the secret access key, and that proxies pass on the host that clients call.',
    );
  return { ...key.viewer, origin: requestOrigin(request) };
}

function claimOf({ headers }: FastifyRequest, query: Query): Claim | null {
  const { authorization = '' } = headers;
  const header = authorization.startsWith(ALGORITHM) ? authorization.slice(ALGORITHM.length) : null;
  const { 'X-Amz-Signature': presigned, ...rest } = query;
  if (query.AWSAccessKeyId !== undefined || authorization.startsWith('AWS '))
    throw new S3Failure('InvalidRequest', 'bad_request', `Sign with ${ALGORITHM}, the fourth version.`);
  if (header === null && presigned === undefined) return null;
  const fields = new Map(header?.split(',').map((field) => field.trim().split(/=(.*)/s) as [string, string]));
  const of = (name: string) => (header === null ? query[`X-Amz-${name}`] : fields.get(name)) ?? '';
  const [, accessKeyId, scope] = /^([^/]+)\/(\d{8}\/[^/]*\/s3\/aws4_request)$/.exec(of('Credential')) ?? [];
  const time = header === null ? of('Date') : String(headers['x-amz-date'] ?? '');
  const expires = header === null ? Number(of('Expires')) : null;
  const signedHeaders = of('SignedHeaders').split(';');
  const isWhole =
    /^\d{8}T\d{6}Z$/.test(time) && time.slice(0, 8) === scope?.slice(0, 8) && signedHeaders.includes('host');
  if (accessKeyId === undefined || scope === undefined || !isWhole)
    throw new S3Failure('AuthorizationHeaderMalformed', 'bad_request', `Sign with ${ALGORITHM} for s3.`);
  const payload = headers['x-amz-content-sha256'];
  return {
    ...{ accessKeyId, scope, time, signedHeaders, expires, signature: of('Signature') },
    query: header === null ? rest : query,
    payload: header === null ? UNSIGNED_PAYLOAD : String(payload ?? hashSecret('')),
  };
}

function checkTime({ time, expires }: Claim, now: number): void {
  if (expires !== null && !(expires > 0 && expires <= LONGEST))
    throw accessDenied(`X-Amz-Expires is 1 to ${LONGEST} seconds.`);
  const signedAt = Date.parse(
    time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
  const latest = signedAt + (expires === null ? SKEW : expires * 1_000);
  if (now <= latest && signedAt - SKEW <= now) return;
  if (expires !== null && now > latest) throw accessDenied('The URL has expired.');
  throw new S3Failure(
    'RequestTimeTooSkewed',
    'forbidden',
    'The clock of the client is wrong, or of the service.',
  );
}

function isSignedWith(
  { configuration }: Context,
  { method, headers, raw }: FastifyRequest,
  { scope, time, signedHeaders, signature, query, payload }: Claim,
  secret: string,
): boolean {
  const [day = '', region = ''] = scope.split('/');
  const key = signingKey(secret, day, region);
  const signed = signedHeaders.filter((name) => name !== 'host');
  const pathname = segmentsOf(raw.url ?? '')
    .map((segment) => encode(segment ?? '').replaceAll('%2F', '/'))
    .join('/');
  // A proxy may have put another host in its place.
  const hosts = [headers.host, configuration.publicUrl && new URL(configuration.publicUrl).host];
  return hosts.some((host) => {
    if (typeof host !== 'string') return false;
    const expected = signatureOf(
      {
        method,
        url: { protocol: '', host, pathname },
        query,
        headers: Object.fromEntries(signed.map((name) => [name, String(headers[name] ?? '')])),
        payload,
      },
      { time, scope, key },
    );
    return (
      signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
    );
  });
}

/** The query of a URL; unlike in a form, a plus is a plus. */
export function queryOf(url: string): Query {
  const [, text = ''] = url.split(/\?(.*)/s);
  const pairs = text.split('&').filter((pair) => pair !== '');
  return Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s, 2).map(decode)));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Failure('InvalidURI', 'bad_request', 'The query cannot be decoded.');
  }
}
