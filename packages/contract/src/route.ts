import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import { none } from './parameters.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call a route.
 * - `public`: no token is read.
 * - `optional`: anonymous, or a valid token; an invalid one is 401.
 * - `required`: a valid token; without one the response is 401, whether or not the resource exists.
 */
export type Authentication = 'public' | 'optional' | 'required';

/** Where a route is, and what a call of it needs besides its schemas. */
export interface Endpoint {
  method: Method;
  /** Path below the base URL, parameters written `:name`. */
  path: string;
  authentication: Authentication;
  /** Status of success; 204 has no body. */
  success: 200 | 201 | 202 | 204;
}

/** One route of the service: the server serves it, the SDK calls it, and OpenAPI is generated from it. */
export interface Route<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> extends Endpoint {
  summary: string;
  params: Params;
  /**
   * Path parameters for which a malformed value is `invalid_parameter`: names of something new, and everything around
   * projects. Elsewhere a malformed value names nothing, and is `not_found`.
   */
  strictNames?: readonly string[];
  query: Query;
  /** `null` if the route has no body. */
  body: Body;
  /** Maximum bytes of the body, if not `LIMITS.jsonBody`. */
  bodyLimit?: number;
  /** The JSON body of success (`null` schema: no body). */
  response: Response;
  /** Other statuses that are not failures: created (201), not decided yet (202), unchanged (304). */
  furtherSuccess?: readonly (201 | 202 | 304)[];
  /** Error codes of this route, in addition to those of every route. */
  errors: readonly ErrorCode[];
}

/** What can be called: a route, or its endpoint with the schemas only as types. */
export type Callable = Endpoint & Partial<Pick<Route, 'params' | 'query' | 'body' | 'response'>>;

/** A route as callers see it, without its schemas at run time. */
export type ClientRoute<R extends Route> = Endpoint &
  Partial<Pick<R, 'params' | 'query' | 'body' | 'response'>>;

/** What a route has unless it says otherwise: no parameters, query, body and content of the response. */
const DEFAULTS = { params: none, query: none, body: z.null(), response: z.null(), errors: [] };

type Default<Part extends keyof typeof DEFAULTS> = (typeof DEFAULTS)[Part];

export function defineRoute<
  Params extends z.ZodType = Default<'params'>,
  Query extends z.ZodType = Default<'query'>,
  Body extends z.ZodType = Default<'body'>,
  Response extends z.ZodType = Default<'response'>,
>(
  route: Omit<Route, keyof typeof DEFAULTS> &
    Partial<Pick<Route<Params, Query, Body, Response>, keyof typeof DEFAULTS>>,
): Route<Params, Query, Body, Response> {
  return { ...DEFAULTS, ...route } as Route<Params, Query, Body, Response>;
}

export type ParamsOf<R extends Route> = z.output<R['params']>;
export type QueryOf<R extends Route> = z.output<R['query']>;
export type BodyOf<R extends Route> = z.output<R['body']>;
export type ParamsInputOf<R extends Callable> = z.input<NonNullable<R['params']>>;
export type QueryInputOf<R extends Callable> = z.input<NonNullable<R['query']>>;
export type BodyInputOf<R extends Callable> = z.input<NonNullable<R['body']>>;
export type ResponseOf<R extends Callable> = z.output<NonNullable<R['response']>>;
