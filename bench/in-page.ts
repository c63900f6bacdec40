// What benches run in pages. Scripts as text: the types of browsers and of Node do not go together.

/** Milliseconds from the request for the page to the first paint of something of it. */
export const FIRST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName('first-contentful-paint');
    if (paint) resolve(paint.startTime);
  }).observe({ type: 'paint', buffered: true });
})`;
