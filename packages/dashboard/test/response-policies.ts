import type { Response } from 'playwright-core';

/** The policy that every document of the app must include, whatever else it allows. */
const POLICY = ["default-src 'none'", "script-src 'self';", "require-trusted-types-for 'script'"];

/** Returns the missing policy of a response; null if it has all it should. */
export async function missingPolicy(response: Response): Promise<string | null> {
  const { pathname } = new URL(response.url());
  const headers = await response.allHeaders();
  const policy = headers['content-security-policy'] ?? '';
  if (headers['x-content-type-options'] !== 'nosniff') return `${pathname}: no nosniff`;
  if (pathname === '/app/viewer.html') {
    const isClosed = policy.startsWith('sandbox allow-scripts;') && !/https?:|'unsafe/.test(policy);
    return isClosed ? null : `${pathname}: ${policy}`;
  }
  if (pathname.startsWith('/app/assets/')) {
    return headers['cache-control']?.includes('immutable') ? null : `${pathname}: not kept`;
  }
  if (response.request().resourceType() === 'document') {
    // Only an asset alone may be in frames of other pages.
    const framing = pathname.startsWith('/app/embed/') ? 'frame-ancestors *' : "frame-ancestors 'none'";
    const isApp = [...POLICY, framing].every((rule) => policy.includes(rule)) && !policy.includes('unsafe');
    return isApp ? null : `${pathname}: ${policy}`;
  }
  return policy.includes("default-src 'none'") ? null : `${pathname}: ${policy}`;
}
