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

/** One route of the service: the server serves it, the SDK calls it, and OpenAPI is generated from it. */
export interface Route<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  method: Method;
  /** Path below the base URL, parameters written `:name`. */
  path: string;
  summary: string;
  authentication: Authentication;
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
  /** Status of success and the schema of its JSON body (`null` schema: no body). */
  success: 200 | 201 | 202 | 204;
  response: Response;
  /** Statuses beside `success` that are no failure: made anew (201), not decided yet (202), unchanged (304). */
  furtherSuccess?: readonly (201 | 202 | 304)[];
  /** Codes that this route answers beside those that every route may answer. */
  errors: readonly ErrorCode[];
}

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
export type BodyInputOf<R extends Route> = z.input<R['body']>;
export type QueryInputOf<R extends Route> = z.input<R['query']>;
export type ResponseOf<R extends Route> = z.output<R['response']>;
