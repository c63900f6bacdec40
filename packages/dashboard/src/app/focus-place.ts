/** Elements that Tab reaches. */
const REACHABLE =
  'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]';

/** Parts of a page that move the focus themselves when a control in them disappears. */
const OWN_FOCUS = '[data-own-focus]';

/**
 * Keeps the place of keyboard users. When the control that they have just activated is disabled, it gets the focus back
 * once it is enabled; when it is removed, the focus goes to what took its place or follows it, or to the heading above.
 * Browsers would start again at the top of the page. Returns a function that ends this.
 */
export function keepFocusPlace(main: HTMLElement): () => void {
  let last: Element | null = null;
  // Scrolling also removes elements, from long lists; that must not move the focus.
  let hasActed = false;
  const restart = () => {
    // Keys that are pressed while a control waits for its request do not end its place.
    if (!last?.matches(':disabled')) hasActed = false;
  };
  const enter = (event: Event) => {
    if (!(event.target instanceof Element)) return;
    last = event.target === main || event.target.closest(OWN_FOCUS) ? null : event.target;
  };
  const point = () => {
    last = null;
    restart();
  };
  const act = () => {
    hasActed = true;
  };
  /** What was removed since the control was, which tells what stood before it. */
  let removals: MutationRecord[] = [];
  const observer = new MutationObserver((records) => {
    if (!hasActed || !last || last.isConnected) removals = [];
    else removals.push(...records.filter(({ removedNodes }) => removedNodes.length > 0));
    if (!hasActed || !last || !isLost()) return;
    if (last.isConnected) {
      if (last.matches(':enabled') && last instanceof HTMLElement) last.focus({ preventScroll: true });
      return;
    }
    const next = successorOf(last, removals, main);
    removals = [];
    next?.focus();
  });
  observer.observe(main, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] });
  const listeners = { focusin: enter, pointerdown: point, keydown: restart, wheel: restart, click: act };
  const entries = Object.entries(listeners);
  for (const [type, listener] of entries)
    document.addEventListener(type, listener, { capture: true, passive: true });
  return () => {
    observer.disconnect();
    for (const [type, listener] of entries) document.removeEventListener(type, listener, { capture: true });
  };
}

function isLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body;
}

/** What gets the focus after `gone` was removed. */
function successorOf(gone: Node, removals: readonly MutationRecord[], main: HTMLElement): HTMLElement | null {
  const place = placeOf(gone, removals);
  if (!place) return null;
  const { parent, previous } = place;
  const reachable = [...parent.querySelectorAll<HTMLElement>(REACHABLE)];
  const next = reachable.find((element) => isAfter(element, previous) && element.checkVisibility());
  return next ?? headingAbove(parent, main);
}

interface Place {
  parent: Element;
  previous: Node | null;
}

function placeOf(gone: Node, removals: readonly MutationRecord[]): Place | null {
  const record = removals.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(gone)));
  if (!record) return null;
  const { target, previousSibling } = record;
  if (!target.isConnected) return placeOf(target, removals);
  if (previousSibling && !previousSibling.isConnected) return placeOf(previousSibling, removals);
  return target instanceof Element ? { parent: target, previous: previousSibling } : null;
}

function isAfter(element: Node, previous: Node | null): boolean {
  if (previous === null) return true;
  const position = previous.compareDocumentPosition(element);
  return (position & Node.DOCUMENT_POSITION_FOLLOWING) !== 0 && !previous.contains(element);
}

function headingAbove(from: Element, main: HTMLElement): HTMLElement {
  for (let at: Element | null = from; at && main.contains(at); at = at.parentElement) {
    const heading = at.querySelector<HTMLElement>(':scope > :is(h1, h2, h3), :scope > :is(div, header) > h1');
    if (!heading) continue;
    heading.tabIndex = -1;
    return heading;
  }
  return main;
}
