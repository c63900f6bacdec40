import { exchange } from './exchange.ts';

/** What the service answered. `body` is the parsed JSON, or the text where it is none; null where it is empty. */
export interface ApiResponse<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** Somebody who sends requests, always with the same headers. */
export class Actor {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.url = url;
    this.headers = headers;
  }

  get<Body = Record<string, unknown>>(path: string): Promise<ApiResponse<Body>> {
    return this.send<Body>('GET', path);
  }

  post<Body = Record<string, unknown>>(path: string, body?: unknown): Promise<ApiResponse<Body>> {
    return this.send<Body>('POST', path, body);
  }

  put<Body = Record<string, unknown>>(path: string, body?: unknown): Promise<ApiResponse<Body>> {
    return this.send<Body>('PUT', path, body);
  }

  patch<Body = Record<string, unknown>>(path: string, body?: unknown): Promise<ApiResponse<Body>> {
    return this.send<Body>('PATCH', path, body);
  }

  delete<Body = Record<string, unknown>>(path: string, body?: unknown): Promise<ApiResponse<Body>> {
    return this.send<Body>('DELETE', path, body);
  }

  /** The same person with further headers. */
  with(headers: Record<string, string>): Actor {
    return new Actor(this.url, { ...this.headers, ...headers });
  }

  async send<Body>(method: string, path: string, body?: unknown): Promise<ApiResponse<Body>> {
    const { status, headers, bytes } = await exchange(this.url + path, {
      method,
      headers: body === undefined ? this.headers : { 'content-type': 'application/json', ...this.headers },
      body: body === undefined ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    });
    return { status, headers, body: readBody(bytes.toString()) as Body };
  }
}

function readBody(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
