import { type Html, html } from './html.ts';
import { ICON, STYLESHEET } from './static-files.ts';

export interface Page {
  /** Title of the tab, and the page's only `h1`. */
  title: string;
  body: Html;
  /** Who is signed in, with the token of the sign-out form. */
  person?: { userName: string; formToken: string } | undefined;
}

/** The whole document around a page. */
export function layout({ title, body, person }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Bindery</title>
<link rel="icon" href="${ICON.path}" type="image/svg+xml">
<link rel="stylesheet" href="${STYLESHEET.path}">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="brand" href="/account"><img src="${ICON.path}" alt="" width="28" height="28">Bindery</a>
${person ? signOutForm(person) : null}
</header>
<main id="main">
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text;
}

function signOutForm({ userName, formToken }: { userName: string; formToken: string }): Html {
  return html`<form class="person" method="post" action="/sign-out">
<input type="hidden" name="form_token" value="${formToken}">
<span class="person-name">${userName}</span>
<button class="quiet">Sign out</button>
</form>`;
}
