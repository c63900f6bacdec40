import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call a route.
 * - `public`: no token is read.
 * - `optional`: anonymous, or a valid token; an invalid one is 401.
 * - `required`: a valid token; without one the answer is 401 whether or not the thing exists.
 */
export type Authentication = 'public' | 'optional' | 'required';

/** Where a route is, and what a call of it takes beside its schemas. */
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
   * Path parameters of which a malformed one is `invalid_parameter`: names of something new, and everything around
   * projects. Elsewhere what is malformed is the name of nothing, and `not_found`.
   */
  strictNames?: readonly string[];
  query: Query;
  /** `null` where the route takes no body. */
  body: Body;
  /** Bytes of the longest body, where it is not `LIMITS.jsonBody`. */
  bodyLimit?: number;
  /** The JSON body of success (`null` schema: no body). */
  response: Response;
  /** Statuses beside `success` that are no failure: made anew (201), not decided yet (202), unchanged (304). */
  furtherSuccess?: readonly (201 | 202 | 304)[];
  /** Codes that this route answers beside those that every route may answer. */
  errors: readonly ErrorCode[];
}

/** What can be called: a route, or its endpoint with the schemas there as types alone. */
export type Callable = Endpoint & Partial<Pick<Route, 'params' | 'query' | 'body' | 'response'>>;

/** A route as its callers have it, without its schemas at run time. */
export type CallOf<R extends Route> = Endpoint & Partial<Pick<R, 'params' | 'query' | 'body' | 'response'>>;

export function defineRoute<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Response extends z.ZodType,
>(route: Route<Params, Query, Body, Response>): Route<Params, Query, Body, Response> {
  return route;
}

export type ParamsOf<R extends Route> = z.output<R['params']>;
export type QueryOf<R extends Route> = z.output<R['query']>;
export type BodyOf<R extends Route> = z.output<R['body']>;
export type ParamsInputOf<R extends Callable> = z.input<NonNullable<R['params']>>;
export type QueryInputOf<R extends Callable> = z.input<NonNullable<R['query']>>;
export type BodyInputOf<R extends Callable> = z.input<NonNullable<R['body']>>;
export type ResponseOf<R extends Callable> = z.output<NonNullable<R['response']>>;
