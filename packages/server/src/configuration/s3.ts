import { z } from 'zod';
import {
  ConfigurationError,
  foundValue,
  isOrigin,
  optional,
  type Rules,
  readByRules,
  whole,
} from './values.ts';

/** A bucket of an S3 service, and how to reach it. */
export interface S3Settings {
  bucket: string;
  /** The prefix of all keys, without a slash at either end; empty for none. */
  prefix: string;
  /** The endpoint of the S3 service; null for Amazon's. */
  endpoint: string | null;
  region: string;
  /** Null to use the credentials that other AWS programs find on this machine. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined } | null;
  /** Maximum bytes of objects cached on this machine's disk for workers to read. */
  cacheBytes: number;
}

const MIB = 1_024 * 1_024;

/** What the URL of a bucket looks like, for messages. */
export const BUCKET_URL =
  's3://bucket or s3://bucket/prefix, the bucket in lower case, the prefix of letters, digits and ._-';

/** Whether a text names a bucket, and perhaps a prefix. */
export function isBucketUrl(text: string): boolean {
  return /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/(?!\.\.?(\/|$))[A-Za-z0-9._-]+)*\/?$/.test(text);
}

export const S3_RULES = {
  objects: ['BINDERY_OBJECTS', optional(z.string().refine(isBucketUrl, { error: BUCKET_URL }))],
  cacheBytes: ['BINDERY_OBJECT_CACHE_MIB', whole({ min: 64, unit: MIB }).default(20_480 * MIB)],
} as const satisfies Rules;

/**
 * Returns null if no bucket is configured. How to reach it is read from the variables that other programs use for S3
 * too.
 */
export function readS3(variables: Record<string, string | undefined>): S3Settings | null {
  const { objects, cacheBytes } = readByRules(S3_RULES, variables);
  if (objects === null) return null;
  const [bucket = '', ...prefix] = objects.replace(/^s3:\/\/|\/$/g, '').split('/');
  const accessKeyId = variables.AWS_ACCESS_KEY_ID;
  const secretAccessKey = variables.AWS_SECRET_ACCESS_KEY;
  if (accessKeyId && !secretAccessKey) {
    throw new ConfigurationError('AWS_SECRET_ACCESS_KEY: AWS_ACCESS_KEY_ID needs it.');
  }
  if (!accessKeyId && secretAccessKey) {
    throw new ConfigurationError('AWS_ACCESS_KEY_ID: AWS_SECRET_ACCESS_KEY needs it.');
  }
  if (!accessKeyId && variables.AWS_SESSION_TOKEN) {
    throw new ConfigurationError(
      'AWS_SESSION_TOKEN: it needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, which are not set.',
    );
  }
  const endpoint = readEndpoint(variables);
  return {
    bucket,
    prefix: prefix.join('/'),
    endpoint,
    region: variables.AWS_REGION || variables.AWS_DEFAULT_REGION || 'us-east-1',
    credentials:
      accessKeyId && secretAccessKey
        ? { accessKeyId, secretAccessKey, sessionToken: variables.AWS_SESSION_TOKEN || undefined }
        : null,
    cacheBytes,
  };
}

function readEndpoint(variables: Record<string, string | undefined>): string | null {
  const name = variables.AWS_ENDPOINT_URL_S3 ? 'AWS_ENDPOINT_URL_S3' : 'AWS_ENDPOINT_URL';
  const endpoint = variables[name];
  if (!endpoint) return null;
  if (/^https?:\/\//i.test(endpoint) && isOrigin(endpoint)) return endpoint.replace(/\/+$/, '');
  throw new ConfigurationError(
    `${name}: it must be an http:// or https:// URL without a path, query or user${foundValue(endpoint)}.`,
  );
}
