import { z } from 'zod';
import { EncoderError } from '../errors.ts';
import { type Explain, type HttpGet, type HttpResponse, HttpSource, resolveUrl } from './http.ts';

/** A file of a repository, as the hub lists it at one commit. */
export interface HubFile {
  path: string;
  /** Bytes. */
  size: number;
  /** Only of large files, which the hub stores by hash; null for others. */
  sha256: string | null;
  /** Id of the git blob: the file itself if it is small, its LFS pointer if it is large. */
  blob: string;
}

export interface HubAddress {
  /** Base URL of the hub: `https://huggingface.co`, or a mirror of it. */
  endpoint: string;
  /** `<owner>/<name>` */
  repository: string;
  /** Sent only to the hub itself. */
  token: string | null;
}

/** Largest response of the API, in bytes; a list of a thousand files takes a third of a MiB. */
const MAX_ANSWER = 8 * 1_048_576;

/** Maximum pages of a listing, with up to a thousand files each. */
const MAX_PAGES = 20;

const COMMIT = /^[0-9a-f]{40}$/;
const revisionAnswer = z.object({ sha: z.string().regex(COMMIT) });
const treeAnswer = z.array(
  z.object({
    type: z.string(),
    path: z.string(),
    size: z.int().min(0).default(0),
    oid: z.string(),
    lfs: z.object({ oid: z.string().regex(/^[0-9a-f]{64}$/), size: z.int().min(0) }).optional(),
  }),
);

/**
 * Reads one repository of a model hub through the routes that `huggingface_hub` uses (`hf_api.py`: `model_info`,
 * `list_repo_tree`; `constants.py`: `HUGGINGFACE_CO_URL_TEMPLATE`). Throws `EncoderError` and `SourceInterrupted`.
 */
export class HubApi {
  readonly #address: HubAddress;
  readonly #http: HttpSource;

  constructor(address: HubAddress, get: HttpGet) {
    this.#address = address;
    this.#http = new HttpSource(withToken(get, address), explainer(address));
  }

  /** Returns the commit that a branch or tag points to; a commit is returned unchanged. */
  async resolveRevision(revision: string): Promise<string> {
    if (COMMIT.test(revision)) return revision;
    const url = this.#apiUrl(
      `api/models/${this.#address.repository}/revision/${encodeURIComponent(revision)}`,
    );
    return (await this.#getJson(url, revisionAnswer)).value.sha;
  }

  /** Lists every file of the repository at a commit. */
  async listFiles(commit: string): Promise<HubFile[]> {
    const tree = this.#apiUrl(`api/models/${this.#address.repository}/tree/${commit}`);
    const files: HubFile[] = [];
    let query: string | null = '?recursive=true';
    for (let page = 0; query !== null; page++) {
      if (page === MAX_PAGES) throw new EncoderError('failed', `${tree} lists too many files.`);
      const answer: JsonResponse<z.infer<typeof treeAnswer>> = await this.#getJson(tree + query, treeAnswer);
      for (const { type, path, size, oid, lfs } of answer.value) {
        if (type !== 'file') continue;
        files.push({ path, size: lfs?.size ?? size, sha256: lfs?.oid ?? null, blob: oid });
      }
      query = nextPage(answer.headers);
    }
    return files;
  }

  /** Reads a small file in full. */
  async read(commit: string, { path, size }: HubFile): Promise<Buffer> {
    return (await this.#http.read(this.#fileUrl(commit, path), size)).bytes;
  }

  copy(commit: string, path: string, ...rest: Tail<Parameters<HttpSource['copy']>>): Promise<void> {
    return this.#http.copy(this.#fileUrl(commit, path), ...rest);
  }

  async #getJson<Shape extends z.ZodType>(url: string, shape: Shape): Promise<JsonResponse<z.infer<Shape>>> {
    const { bytes, headers } = await this.#http.read(url, MAX_ANSWER);
    try {
      return { value: shape.parse(JSON.parse(bytes.toString('utf8'))), headers };
    } catch (cause) {
      throw new EncoderError('failed', `${url} does not respond like a model hub.`, { cause });
    }
  }

  #fileUrl(commit: string, path: string): string {
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    return this.#apiUrl(`${this.#address.repository}/resolve/${commit}/${encoded}`);
  }

  #apiUrl(path: string): string {
    return resolveUrl(this.#address.endpoint, path);
  }
}

interface JsonResponse<Value> {
  value: Value;
  headers: HttpResponse['headers'];
}

type Tail<List extends unknown[]> = List extends [unknown, ...infer Rest] ? Rest : never;

/** Adds the token to every request to the hub's origin, redirects back to it included, and to no other request. */
function withToken(get: HttpGet, { endpoint, token }: HubAddress): HttpGet {
  if (token === null) return get;
  const { origin } = new URL(endpoint);
  return (url, headers) =>
    get(url, new URL(url).origin === origin ? { ...headers, authorization: `Bearer ${token}` } : headers);
}

/** The query of the next page, from the `Link` header (RFC 8288). Only the query, since mirrors may link to the hub. */
function nextPage({ link }: HttpResponse['headers']): string | null {
  const next = link?.match(/<([^>]+)>\s*;[^,]*\brel="?next"?/)?.[1];
  return next === undefined ? null : new URL(next, 'http://localhost').search;
}

/** Explains the hub's error codes, listed in `errors.py` and `utils/_http.py` of `huggingface_hub`. */
function explainer({ endpoint, repository, token }: HubAddress): Explain {
  const { host } = new URL(endpoint);
  return ({ status, headers }) => {
    const code = headers['x-error-code'];
    if (code === 'GatedRepo') {
      const how = token === null ? 'and set HF_TOKEN' : 'with the account of HF_TOKEN';
      return new EncoderError(
        'refused',
        `${repository} is gated. Agree to its conditions at ${resolveUrl(endpoint, repository)} ${how}.`,
      );
    }
    // The hub also responds with 401 for a repository that does not exist.
    if (status === 401 || status === 403) {
      const why =
        token === null
          ? 'it is private or does not exist; set HF_TOKEN if you have access to it'
          : 'the token in HF_TOKEN is not valid, or has no access to it';
      return new EncoderError('refused', `${host} refuses access to ${repository} (${status}): ${why}.`);
    }
    const lacks = LACKS[code ?? ''];
    return lacks === undefined ? null : new EncoderError('missing', `${host} has no ${lacks(repository)}.`);
  };
}

const LACKS: Readonly<Record<string, (repository: string) => string>> = {
  RepoNotFound: (repository) => `repository ${repository}`,
  RevisionNotFound: (repository) => `such revision of ${repository}`,
  EntryNotFound: (repository) => `such file in ${repository} at this revision`,
};
