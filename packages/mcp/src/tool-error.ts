/** A text of our own: `never` for one into which anything was put that is known only when it runs. */
type OwnWords<Text extends string> = Record<never, never> extends Record<Text, unknown> ? never : Text;

/**
 * A failure reported to an agent: what happened, and in `next` what to do about it. Both are our own words alone, by
 * their type; what may be those of authors, or of the agent, goes into `authored`.
 */
export class ToolError<const Text extends string = string> extends Error {
  override readonly name = 'ToolError';
  readonly code: string;
  readonly next: string | null;
  readonly authored: Readonly<Record<string, unknown>> | null;

  constructor(
    code: string,
    message: Text & OwnWords<Text>,
    next: string | null = ADVICE[code] ?? null,
    authored: Readonly<Record<string, unknown>> | null = null,
  ) {
    super(message);
    this.code = code;
    this.next = next;
    this.authored = authored;
  }
}

/**
 * Reports a failure of the service, or of this machine, whose sentences name files, assets and parts as their authors do.
 *
 * @param next what to do about it in our own words, if there is no advice about the code
 */
export function relayedError(
  code: string,
  said: { message: string; next?: string | null },
  next: string | null = ADVICE[code] ?? null,
): ToolError {
  const { message, next: saidNext } = said;
  const authored = next === null && saidNext ? { message, next: saidNext } : { message };
  return new ToolError(code, 'authored.message says what happened.', next, authored);
}

/** What an agent should do about failures of the service, by their code. */
const ADVICE: Readonly<Record<string, string>> = {
  unauthenticated: 'Ask the person to sign in, or to give this server a token.',
  invalid_token: 'Ask the person to sign in again, or to give this server another token.',
  forbidden: 'Ask the person for a token with the rights to do this. Do not retry with this one.',
  not_found:
    'Check the spelling with list_libraries. If it is private, ask the person for a token with access to it.',
  asset_not_found: 'Find the id with search_assets, with this library in "libraries".',
  unknown_path: 'inspect_asset lists the paths.',
  network:
    'Ask the person to check that the service is running, and the address that this server has for it.',
  unexpected_answer: 'Ask the person to check the address that this server has for the service.',
  revision_conflict:
    'Somebody else published in the meantime. Look at what there is: plan_push before a push, inspect_asset before a release. Then ask the person.',
  library_in_trash: 'Ask the person to restore it, or choose another name.',
  files_missing:
    'Ask the person to push with "bindery library push --verify" from a folder that has these files.',
  rate_limited: 'Wait a minute, then retry.',
  unavailable: 'Wait a few seconds, then retry.',
  conversion_refused:
    'Retrying will not help; the message says why. Only robots can be simulated: search_assets finds them with "kind" as mjcf, urdf, sdf or usd.',
  content_lost: 'Retrying will not help. Tell the person.',
  internal: 'Retry once; if it fails again, tell the person.',
};
