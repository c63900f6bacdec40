import { element } from '../../element.ts';

/** A toggle button, which exposes its state to assistive technology. */
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
