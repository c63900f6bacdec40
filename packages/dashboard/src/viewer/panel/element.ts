type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element with its attributes and children. `true` is an attribute without a value; `false` and undefined are none. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

/** A button that is pressed or not, and says so. */
export function toggleButton(
  label: string,
  isOn: boolean,
  set: (isOn: boolean) => void | Promise<void>,
): HTMLButtonElement {
  const button = element('button', { type: 'button', 'aria-pressed': String(isOn) }, label);
  button.addEventListener('click', async () => {
    const next = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(next));
    button.setAttribute('aria-busy', 'true');
    try {
      await set(next);
      button.removeAttribute('title');
    } catch (error) {
      button.setAttribute('aria-pressed', String(!next));
      button.title = error instanceof Error ? error.message : String(error);
    } finally {
      button.removeAttribute('aria-busy');
    }
  });
  return button;
}

export function actionButton(label: string, act: () => void): HTMLButtonElement {
  const button = element('button', { type: 'button' }, label);
  button.addEventListener('click', act);
  return button;
}
