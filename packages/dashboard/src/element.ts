type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Creates an element. An attribute with value `true` is set without a value; `false` and undefined omit it. */
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
