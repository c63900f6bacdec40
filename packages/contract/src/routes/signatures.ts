import { z } from 'zod';
import { endpoints } from '../endpoints.ts';
import { LIMITS } from '../limits.ts';
import { libraryParams, text } from '../parameters.ts';
import { defineRoute } from '../route.ts';

/** The statement that was signed, and its signature by OpenSSH. */
const logEntry = z.strictObject({
  statement: text(LIMITS.signatures.length),
  signature: text(LIMITS.signatures.length),
});

export const listSignatures = defineRoute({
  ...endpoints.signatures.listSignatures,
  summary: 'The signature log of a library: every entry, the first one first',
  params: libraryParams,
  query: z.strictObject({ share: z.string().max(200).optional() }),
  response: z.object({ entries: z.array(logEntry).max(LIMITS.signatures.entries) }),
  errors: ['not_found'],
});

export const addSignature = defineRoute({
  ...endpoints.signatures.addSignature,
  summary: 'Adds an entry to the signature log of a library; the same one again is no error',
  params: libraryParams,
  body: logEntry,
  response: logEntry,
  errors: ['not_found', 'forbidden', 'signature_conflict', 'signature_refused'],
});
