import { resolve } from 'node:path';
import {
  folderSource,
  type HttpGet,
  hubSource,
  type ModelSource,
  modelId,
  RECIPES,
  urlSource,
} from '@bindery/encoder';
import { usageError } from '../output/command-error.ts';
import { requireSendableToken } from '../sign-in-errors.ts';
import { USER_AGENT } from '../version.ts';

export interface SourceOptions {
  model: string;
  from: string | undefined;
  url: string | undefined;
  hub: string | undefined;
  revision: string | undefined;
}

const DEFAULT_HUB = 'https://huggingface.co';
const DEFAULT_REVISION = 'main';

/** Returns where to get a model: the place that is given, else the repository that is known for it. */
export function chooseSource(
  { model, from, url, hub, revision }: SourceOptions,
  environment: NodeJS.ProcessEnv,
  send: HttpGet,
): ModelSource {
  if ([from, url, hub].filter((place) => place !== undefined).length > 1) {
    throw usageError('--from, --url and --hub exclude each other.', 'Choose one.');
  }
  if (revision !== undefined && (from ?? url) !== undefined) {
    throw usageError('--revision needs a repository on a hub.', 'Leave it out with --from and --url.');
  }
  const get: HttpGet = (address, headers) => send(address, { ...headers, 'user-agent': USER_AGENT });
  if (from !== undefined) return folderSource(resolve(from));
  if (url !== undefined) {
    requireNoPassword(url, '--url');
    return urlSource(url, get);
  }
  return hubSource({ ...hubAddress(environment), ...repositoryOf(model, hub, revision) }, get);
}

/** The known hashes of a repository apply only to the known commit. */
function repositoryOf(model: string, hub: string | undefined, revision: string | undefined) {
  if (hub !== undefined) return { repository: hub, revision: revision ?? DEFAULT_REVISION };
  const id = modelId(model);
  const known = RECIPES.get(id)?.hub;
  if (known === undefined) {
    throw usageError(
      `No repository is known for ${id}.`,
      'Say where to get it with --from, --url or --hub; docs/encoders.md says what is expected there.',
    );
  }
  const { repository, commit, sha256 } = known;
  return revision === undefined || revision === commit
    ? { repository, revision: commit, sha256 }
    : { repository, revision };
}

function hubAddress({ HF_ENDPOINT, HF_TOKEN }: NodeJS.ProcessEnv): {
  endpoint: string;
  token: string | null;
} {
  const endpoint = HF_ENDPOINT || DEFAULT_HUB;
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    throw usageError('HF_ENDPOINT is not an http:// or https:// URL.');
  }
  requireNoPassword(endpoint, 'HF_ENDPOINT');
  const token = HF_TOKEN?.trim() || null;
  if (token !== null) requireSendableToken({ token, sourceName: 'HF_TOKEN' });
  return { endpoint, token };
}

/** Addresses are shown in messages, and a password in one would be too. */
function requireNoPassword(address: string, place: string): void {
  const { username, password } = new URL(address);
  if (username + password !== '') throw usageError(`${place} must not contain a password.`);
}
