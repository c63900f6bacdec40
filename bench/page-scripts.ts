// Code that benchmarks run in pages. Scripts are strings, because browser and Node types conflict.

/** Milliseconds from the request for the page to the first contentful paint. */
export const FIRST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName('first-contentful-paint');
    if (paint) resolve(paint.startTime);
  }).observe({ type: 'paint', buffered: true });
})`;

/** Stores in `KEY_TO_PAINTED` the time from the next key press to the paint that shows a text in the main element. */
export const watchKey = (shown: string) => `{
  const isShown = () => document.querySelector('main').textContent.includes(${JSON.stringify(shown)});
  globalThis.keyToPainted = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('the page does not show ' + ${JSON.stringify(shown)})), 30_000);
    addEventListener('keydown', () => {
      const pressed = performance.now();
      const look = () => {
        if (!isShown()) return requestAnimationFrame(look);
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - pressed)));
      };
      look();
    }, { capture: true, once: true });
  });
  undefined;
}`;

/** Resolves to the milliseconds. */
export const KEY_TO_PAINTED = 'keyToPainted';

/** Records interactions from now on, as measured by the browser. */
export const WATCH_INTERACTIONS = `{
  globalThis.interactions = [];
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId) interactions.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 });
}`;

/** The longest recorded interaction in milliseconds; those below 16 are not recorded. */
export const LONGEST_INTERACTION = 'Math.max(0, ...interactions)';

/** The scroll position in screens. */
export const SCREENS_SCROLLED = 'scrollY / innerHeight';
