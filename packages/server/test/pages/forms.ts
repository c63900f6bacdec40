/** Reads the hidden and prefilled inputs of the page's main form, as a browser would send them. */
export function formOf(page: string): Record<string, string> {
  const main = page.slice(page.indexOf('<main'));
  const inputs = main.matchAll(/<input\b[^>]*>/g);
  const attribute = (tag: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  return Object.fromEntries([...inputs].map(([tag]) => [attribute(tag, 'name'), attribute(tag, 'value')]));
}

export interface PageResponse {
  status: number;
  headers: Headers;
  text: string;
  /** Where a redirect leads. */
  location: string | null;
}

/** Somebody who uses the pages without a browser: keeps cookies, sends forms, follows nothing. */
export class FormUser {
  readonly #url: string;
  readonly #cookies = new Map<string, string>();

  constructor(url: string) {
    this.#url = url;
  }

  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  get(path: string): Promise<PageResponse> {
    return this.#send(path, {});
  }

  post(
    path: string,
    form: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<PageResponse> {
    return this.#send(path, { method: 'POST', body: new URLSearchParams(form), headers });
  }

  async signIn(email: string, password: string, next = ''): Promise<PageResponse> {
    return this.post('/sign-in', { email, password, next });
  }

  async #send(path: string, init: RequestInit): Promise<PageResponse> {
    const headers = new Headers(init.headers);
    if (this.#cookies.size > 0) headers.set('cookie', this.cookies);
    const response = await fetch(this.#url + path, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const [name = '', value = ''] = pair.split('=', 2);
      if (/max-age=0/i.test(cookie)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: response.headers.get('location'),
    };
  }
}
