// What benches run in pages. Scripts as text: the types of browsers and of Node do not go together.

/** Milliseconds from the request for the page to the first paint of something of it. */
export const FIRST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName('first-contentful-paint');
    if (paint) resolve(paint.startTime);
  }).observe({ type: 'paint', buffered: true });
})`;

/** Notes as `KEY_TO_PAINTED` how long it takes from the next key to the paint that shows a text in the main part of the page. */
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

/** Milliseconds, once it is over. */
export const KEY_TO_PAINTED = 'keyToPainted';

/** Notes interactions from now on, as browsers measure them. */
export const WATCH_INTERACTIONS = `{
  globalThis.interactions = [];
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId) interactions.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 });
}`;

/** The longest interaction noted, in milliseconds; those below 16 are not noted. */
export const LONGEST_INTERACTION = 'Math.max(0, ...interactions)';

/** Where the page is scrolled to, in screens. */
export const SCREENS_SCROLLED = 'scrollY / innerHeight';
