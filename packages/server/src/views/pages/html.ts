/** HTML that is safe to send: it was written here, or escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Insertable = Html | string | number | null | false | readonly Insertable[];

/** A template of HTML. Inserted values are escaped, except for other templates; null and false insert nothing. */
export function html(parts: TemplateStringsArray, ...inserted: readonly Insertable[]): Html {
  return new Html(parts.reduce((text, part, at) => text + render(inserted[at - 1] ?? null) + part));
}

function render(value: Insertable): string {
  if (value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return escapeHtml(String(value));
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
