import { type Html, html } from './html.ts';

interface Field {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  value?: string;
  hint?: string;
  autocomplete: string;
  /** The name of the field that was refused, if any. */
  refused?: string | undefined;
  /** Whether this field has the focus when nothing was refused. */
  first?: boolean;
}

/** A labelled input; the one that was refused is marked and has the focus. */
export function inputField({
  name,
  label,
  type = 'text',
  value = '',
  hint,
  autocomplete,
  ...state
}: Field): Html {
  const invalid = state.refused === name;
  const focus = invalid || (state.first && state.refused === undefined);
  return html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}" required
${type === 'password' ? null : html`autocapitalize="none" spellcheck="false"`}
${hint ? html`aria-describedby="${name}-hint"` : null}
${invalid ? html`aria-invalid="true"` : null} ${focus ? html`autofocus` : null}>
${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : null}
</div>`;
}
