import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ServiceError } from '../../../errors.ts';
import { parseJson } from '../../../http/parse-input.ts';

/*
 * Bodies whose media type says nothing, or something else than JSON, as Hugging Face's clients send them.
 */

export function textOf({ body }: FastifyRequest): string {
  return Buffer.isBuffer(body) ? body.toString() : '';
}

/** Parses a JSON text by a rule. Throws `bad_request` and `invalid_parameter`. */
export function parseJsonText<Rule extends z.ZodType>(rule: Rule, text: string): z.output<Rule> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ServiceError('bad_request', 'The body is not valid JSON.');
  }
  return parseJson(rule, value) as z.output<Rule>;
}

export function parseJsonBody<Rule extends z.ZodType>(rule: Rule, request: FastifyRequest): z.output<Rule> {
  return parseJsonText(rule, textOf(request));
}
