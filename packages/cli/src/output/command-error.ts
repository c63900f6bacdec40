import { dirname } from 'node:path';
import { ApiError, BinderyError, DEFAULT_SERVER, isFromElsewhere, NetworkError } from '@bindery/sdk';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { describeSystemError, shownPath } from './system-error.ts';
import { formatBytes, sanitizeLine } from './text.ts';

/** A failure reported to the user: what happened, and in `next` what to do about it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly next: string | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    exitCode: ExitCode,
    code: string,
    message: string,
    options: { next?: string | undefined; details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.exitCode = exitCode;
    this.next = options.next ?? null;
    this.details = options.details ?? {};
  }
}

/** Adds to the failure of an interrupted transfer that running the same command again resumes it. */
export function withResumeHint(error: CommandError): CommandError {
  const { exitCode, code, message, details, cause } = error;
  if (exitCode !== EXIT.interrupted && exitCode !== EXIT.network) return error;
  const next = [error.next, 'Run the same command to resume.'].filter(Boolean).join(' ');
  return new CommandError(exitCode, code, message, { next, details, cause });
}

/** Returns the error for a command that was typed wrongly. */
export function usageError(message: string, next?: string): CommandError {
  return new CommandError(EXIT.usage, 'usage', message, { next });
}

/**
 * Converts any error to a `CommandError`; the one place where errors of the service become exit codes. Paths below
 * `from`, the current folder unless it is given, are named relative to it.
 */
export function asCommandError(error: unknown, from = currentFolder()): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof ApiError) return fromApiError(error);
  if (error instanceof BinderyError) return fromBinderyError(error, from);
  if (error instanceof Error && error.name === 'AbortError') {
    return new CommandError(EXIT.interrupted, 'interrupted', 'Interrupted.');
  }
  if (isDiskFull(error)) {
    // Of a copy, `path` is the source.
    const place = 'dest' in error ? error.dest : 'path' in error ? error.path : undefined;
    const isNamed = place !== undefined && !String(place).startsWith('/proc/');
    const where = isNamed ? ` of ${shownPath(dirname(String(place)), from)}` : '';
    return new CommandError(EXIT.failed, 'disk_full', `The disk${where} is full.`, {
      next: 'Free some space and run it again to resume; what has arrived is kept.',
      cause: error,
    });
  }
  if (isHomeMissing(error)) {
    return usageError(
      'You have no home folder, where settings and caches are kept.',
      'Set HOME to a folder of yours.',
    );
  }
  const system = describeSystemError(error, from);
  if (system !== null) {
    return new CommandError(EXIT.usage, 'failed', system.message, {
      next: system.next,
      cause: error,
      details: { reason: (error as NodeJS.ErrnoException).code },
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new CommandError(EXIT.failed, 'failed', message, { cause: error });
}

type Details = Readonly<Record<string, unknown>>;

/** How an error of the SDK is reported. */
interface Report {
  exit: ExitCode;
  /** The code in `--json`, if it is not that of the SDK: scripts need not tell apart what people do. */
  code?: string;
  next?(details: Details): string | undefined;
}

function fromBinderyError(error: BinderyError, from: string): CommandError {
  const { code, message, details } = error;
  if (code === 'disk_full') return fromFullDisk(details, from);
  if (error instanceof NetworkError) {
    return new CommandError(EXIT.network, code, message, { next: nextAfterNetworkError(error), details });
  }
  const { exit, code: shown = code, next } = REPORTS[code] ?? { exit: EXIT.failed };
  return new CommandError(exit, shown, message, { next: next?.(details), details, cause: error });
}

const USAGE = { exit: EXIT.usage, code: 'usage' };
const INTEGRITY = { exit: EXIT.integrity, code: 'integrity' };
const CONFLICT = { exit: EXIT.conflict, code: 'conflict' };
const PUSH_VERIFIED = 'A push with --verify from a folder that has it restores it.';

/** By the codes of the SDK. */
const REPORTS: Readonly<Record<string, Report>> = {
  not_signed_in: {
    exit: EXIT.permission,
    code: 'unauthenticated',
    next: ({ server }) => signInAt(String(server)),
  },
  unexpected_answer: {
    exit: EXIT.network,
    next: () => 'Check that --api-url or BINDERY_API_URL names a Bindery server.',
  },
  mirror: {
    exit: EXIT.network,
    next: () => 'Check the address or folder of the mirror, and that its export was complete.',
  },
  source_invalid: USAGE,
  source_unavailable: { exit: EXIT.network },
  source_rewritten: { ...CONFLICT, next: () => '--force publishes it all the same.' },
  source_refused: { exit: EXIT.integrity },
  asset_not_found: {
    exit: EXIT.notFound,
    next: () => 'Look it up with "bindery library search" or "bindery library info".',
  },
  revision_not_found: {
    exit: EXIT.notFound,
    next: ({ library }) => `"bindery library log ${library}" shows which revisions can be read.`,
  },
  conversion_refused: { exit: EXIT.integrity },
  prop_refused: { exit: EXIT.integrity },
  scene_refused: { exit: EXIT.integrity },
  certification_failed: {
    exit: EXIT.integrity,
    next: () => 'Mend them, or accept their codes under "check" in bindery.yml (docs/checks.md).',
  },
  project_file: { exit: EXIT.usage },
  lock_mismatch: { exit: EXIT.usage, code: 'project_file', next: () => '"bindery sync" rewrites the lock.' },
  bindery_yml: { exit: EXIT.usage },
  folder: USAGE,
  setting: USAGE,
  no_project: { ...USAGE, next: () => '"bindery use <ns/library/asset>" writes one.' },
  no_lock: { ...USAGE, next: () => '"bindery sync" writes it.' },
  integrity: INTEGRITY,
  content_mismatch: {
    ...INTEGRITY,
    next: () => `If this happens again, the service has lost the file. ${PUSH_VERIFIED}`,
  },
  content_lost: { ...INTEGRITY, next: () => PUSH_VERIFIED },
  manifest_lost: {
    ...INTEGRITY,
    next: () => `${PUSH_VERIFIED} A push with --force publishes the folder as it is.`,
  },
  signature: { exit: EXIT.integrity },
  signing_failed: { exit: EXIT.failed },
  conflict: CONFLICT,
  asset_exists: { ...CONFLICT, next: () => 'Replace it with --replace.' },
  edited_files: { ...CONFLICT, next: () => 'Move them away, or replace them with --force.' },
  foreign_credits: { ...CONFLICT, next: () => '"bindery library credits" prints them instead.' },
  lock_outdated: { ...CONFLICT, next: () => '"bindery sync" writes it.' },
  model_mismatch: {
    ...CONFLICT,
    next: () => 'Use the same --model, or push the whole library with --embed.',
  },
  push_refused: { ...CONFLICT, next: nextAfterRefusal },
  revision_gone: { ...CONFLICT, next: nextAfterGoneRevision },
};

function fromFullDisk(details: Details, from: string): CommandError {
  const [needed, free] = [details.needed, details.free].map((bytes) => formatBytes(Number(bytes)));
  const where = shownPath(String(details.folder), from);
  const message = `Not enough space on the disk of ${where}: ${needed} needed, ${free} free. Nothing was written.`;
  return new CommandError(EXIT.failed, 'disk_full', message, {
    next: 'Free some space, or choose a folder on another disk.',
    details: { needed: details.needed, free: details.free },
  });
}

/** Says how to sign in to a server. */
export function signInAt(server: string): string {
  const where = server === DEFAULT_SERVER ? '' : ` --api-url ${server}`;
  return `Sign in with "bindery login${where}", or set BINDERY_TOKEN.`;
}

function nextAfterNetworkError({ reason, origin, givenBy }: NetworkError): string | undefined {
  if (reason === 'TRANSFER_TOO_SLOW')
    return 'Run it again to resume; what has arrived is kept. On a very slow line, set BINDERY_MIN_TRANSFER_RATE=off.';
  if (reason === 'PROXY_UNREACHABLE' || reason === 'PROXY_REFUSED') return undefined;
  if (givenBy !== null)
    return `The service at ${givenBy} gave out ${origin} as the address for transfers: whoever runs it can correct BINDERY_PUBLIC_URL or the endpoint of its bucket.`;
  return 'Check the address (--api-url, BINDERY_API_URL) and that the server is running.';
}

function nextAfterRefusal({ pullFirst, toMerge, items }: Details): string {
  if (typeof pullFirst === 'string')
    return `Pull first with "bindery library pull ${pullFirst} --keep -o <dir>", which keeps what you edited, or push with --force.`;
  const [first] = Array.isArray(items) ? items : [];
  if (first === undefined) return 'Push with --force to publish the folder as it is.';
  const merge = Array.isArray(toMerge) && toMerge.length > 0;
  const others = merge ? 'Edit what you kept so that it has the changes of both' : 'Delete it here too';
  return `${others}, or publish yours alone with --force=${sanitizeLine(String(first))}.`;
}

function nextAfterGoneRevision({ library, release }: Details): string {
  const upgrade = `"bindery sync --upgrade ${library}" switches to what is available now.`;
  return release === null
    ? `${upgrade} A release keeps a revision: "bindery library release ${library} <name>", and then use ${library}@<name>.`
    : upgrade;
}

/** The empty string, which no path is below, if the folder was deleted. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

function isDiskFull(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** Node found neither HOME nor an entry of this user in the system's list of users. */
function isHomeMissing(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_os_homedir';
}

function fromApiError(error: ApiError): CommandError {
  return new CommandError(exitCodeOf(error), error.code, error.message, {
    next: nextAfter(error),
    details: { status: error.status, requestId: error.requestId, ...error.details },
    cause: error,
  });
}

function nextAfter(error: ApiError): string | undefined {
  const { code, status } = error;
  if (SELF_EXPLANATORY_CODES.has(code)) return undefined;
  if (isFromElsewhere(error))
    return status === 407
      ? undefined
      : 'Check that --api-url or BINDERY_API_URL names a Bindery server. NO_PROXY names hosts to reach without a proxy.';
  return (
    NEXT_STEPS[code] ?? (status >= 500 ? 'Try again later; the server log has the request id.' : undefined)
  );
}

/** Codes whose messages say what to do. */
const SELF_EXPLANATORY_CODES: ReadonlySet<string> = new Set(['quota_exceeded', 'storage_full']);

const INTEGRITY_CODES: ReadonlySet<string> = new Set(['upload_mismatch', 'content_mismatch', 'content_lost']);

function exitCodeOf(error: ApiError): ExitCode {
  const { code, status } = error;
  if (isFromElsewhere(error)) return EXIT.network;
  if (INTEGRITY_CODES.has(code)) return EXIT.integrity;
  if (code === 'invalid_signature' || code === 'url_expired') return EXIT.network;
  if (status === 401 || status === 403 || code === 'quota_exceeded') return EXIT.permission;
  if (status === 404) return EXIT.notFound;
  if (status === 409 || status === 412) return EXIT.conflict;
  if (status === 400 || status === 413 || status === 422) return EXIT.usage;
  return EXIT.network;
}

const NEXT_STEPS: Record<string, string> = {
  unauthenticated: 'Sign in with "bindery login", or set BINDERY_TOKEN.',
  invalid_token: 'Run "bindery login", or set another BINDERY_TOKEN.',
  forbidden: 'Ask an owner of the namespace, or use a token with the scope write.',
  not_found: 'Check the spelling; if it is private, sign in with an account that has access.',
  content_lost: 'Trying again will not help. The server log has the request id.',
  files_missing:
    'Push with --verify from a folder that has them; "bindery library rm" removes an asset of which no copy is left.',
  revision_conflict: 'Somebody else published in the meantime. Review that, then push again.',
  signature_conflict: 'Somebody else signed in the meantime. Run it again.',
  library_in_trash: 'Restore it with "bindery library restore", or choose another name.',
  slug_taken: 'Choose another name.',
  rate_limited: 'Wait a moment and try again.',
};
